/** Written by clients/generator from the published contract; do not edit it. */
import type { CallOptions, Caller, SubmitOptions } from "../caller.ts";
import type {
  EnhancePromptRequest,
  EnhancedPrompt,
  Generate3DRequest,
  GenerateAudioRequest,
  GenerateImageRequest,
  GenerateSetRequest,
  GenerateVideoRequest,
  Job,
  OutputSet,
  RemoveBackgroundVideoRequest,
  RestoreVideoRequest,
} from "./models.ts";

export class GenerateCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Generate images. */
  image(request: GenerateImageRequest, options: SubmitOptions = {}): Promise<Job> {
    return this.caller.json<Job>(
      {
        method: "POST",
        path: "/generate/image",
        body: request,
        isRepeatable: true,
        earlier: "jobs",
      },
      options,
    );
  }

  /** Generate a video. */
  video(request: GenerateVideoRequest, options: SubmitOptions = {}): Promise<Job> {
    return this.caller.json<Job>(
      {
        method: "POST",
        path: "/generate/video",
        body: request,
        isRepeatable: true,
        earlier: "jobs",
      },
      options,
    );
  }

  /** Generate speech, music or a sound effect. */
  audio(request: GenerateAudioRequest, options: SubmitOptions = {}): Promise<Job> {
    return this.caller.json<Job>(
      {
        method: "POST",
        path: "/generate/audio",
        body: request,
        isRepeatable: true,
        earlier: "jobs",
      },
      options,
    );
  }

  /** Generate a 3D model from photos. */
  threeD(request: Generate3DRequest, options: SubmitOptions = {}): Promise<Job> {
    return this.caller.json<Job>(
      { method: "POST", path: "/generate/3d", body: request, isRepeatable: true, earlier: "jobs" },
      options,
    );
  }

  /** Generate a set of images. */
  set(request: GenerateSetRequest, options: SubmitOptions = {}): Promise<OutputSet> {
    return this.caller.json<OutputSet>(
      {
        method: "POST",
        path: "/generate/set",
        body: request,
        isRepeatable: true,
        earlier: "sets",
      },
      options,
    );
  }

  /** Remove the background of a video. */
  removeBackground(
    request: RemoveBackgroundVideoRequest,
    options: SubmitOptions = {},
  ): Promise<Job> {
    return this.caller.json<Job>(
      {
        method: "POST",
        path: "/remove-background/video",
        body: request,
        isRepeatable: true,
        earlier: "jobs",
      },
      options,
    );
  }

  /** Restore and upscale a video. */
  restoreVideo(request: RestoreVideoRequest, options: SubmitOptions = {}): Promise<Job> {
    return this.caller.json<Job>(
      {
        method: "POST",
        path: "/restore/video",
        body: request,
        isRepeatable: true,
        earlier: "jobs",
      },
      options,
    );
  }

  /** Rewrite a video prompt for its target model. */
  enhancePrompt(
    request: EnhancePromptRequest,
    options: CallOptions = {},
  ): Promise<EnhancedPrompt> {
    return this.caller.json<EnhancedPrompt>(
      {
        method: "POST",
        path: "/generate/video/enhance-prompt",
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }
}

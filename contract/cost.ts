import { type Static, Type } from "../config/schema.ts";
import { nullable, strict, Timestamp } from "./common.ts";
import {
  Generate3DRequest,
  GenerateAudioRequest,
  GenerateImageRequest,
  GenerateSetRequest,
  GenerateVideoRequest,
  RemoveBackgroundVideoRequest,
  RestoreVideoRequest,
} from "./generation.ts";

export const costKinds = [
  "image",
  "video",
  "audio",
  "three_d",
  "set",
  "video_background_removal",
  "video_restoration",
] as const;
export type CostKind = (typeof costKinds)[number];

/** Only the body field that matches `kind` is present. */
export const JobCostRequest = strict(
  {
    kind: Type.Enum([...costKinds]),
    image: Type.Optional(GenerateImageRequest),
    video: Type.Optional(GenerateVideoRequest),
    audio: Type.Optional(GenerateAudioRequest),
    three_d: Type.Optional(Generate3DRequest),
    set: Type.Optional(GenerateSetRequest),
    video_background_removal: Type.Optional(RemoveBackgroundVideoRequest),
    video_restoration: Type.Optional(RestoreVideoRequest),
  },
  "JobCostRequest",
);
export type JobCostRequest = Static<typeof JobCostRequest>;

export const JobCostSetting = Type.Object(
  { label: Type.String(), value: Type.String() },
  { title: "JobCostSetting" },
);

export const JobCostQuote = Type.Object(
  {
    kind: Type.Enum([...costKinds]),
    model: Type.String(),
    credits: Type.Integer(),
    basis: Type.Enum(["one_generation", "set_run"]),
    members: nullable(Type.Integer()),
    duration_seconds: nullable(Type.Integer()),
    quality: nullable(Type.String()),
    settings: Type.Array(JobCostSetting),
    balance_credits: nullable(Type.Integer()),
    sufficient_credits: Type.Boolean(),
    confirmation_token: Type.String(),
    expires_at: Timestamp,
  },
  { title: "JobCostQuote" },
);
export type JobCostQuote = Static<typeof JobCostQuote>;

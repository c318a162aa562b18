/** Graphs in ComfyUI's API format, and the checks that its servers make. */
import type { Modality } from "../../config/modalities.ts";
import { record } from "./simulator.ts";

type Graph = Readonly<Record<string, unknown>>;

const savers = {
  image: "SaveImage",
  video: "SaveVideo",
  audio: "SaveAudioMP3",
  three_d: "SaveGLB",
} as const;

/** Makes a graph that yields `count` files from a text. */
export function makeGraph(prompt: string, count = 1, modality: Modality = "image"): Graph {
  return {
    "4": { class_type: "CheckpointLoaderSimple", inputs: { ckpt_name: "kite.safetensors" } },
    "5": { class_type: "EmptyLatentImage", inputs: { width: 64, height: 64, batch_size: count } },
    "6": { class_type: "CLIPTextEncode", inputs: { text: prompt, clip: ["4", 1] } },
    "7": { class_type: "KSampler", inputs: { model: ["4", 0], positive: ["6", 0], seed: 7 } },
    "9": { class_type: savers[modality], inputs: { images: ["7", 0], filename_prefix: "kite" } },
  };
}

export function modalityOfGraph(graph: Graph): Modality {
  const classes = Object.values(graph).map((node) => record(node)["class_type"]);
  for (const modality of ["video", "audio", "three_d"] as const)
    if (classes.includes(savers[modality])) return modality;
  return "image";
}

/** Returns all texts of a graph's inputs. */
export function getText(graph: Graph): string {
  const inputs = Object.values(graph).flatMap((node) =>
    Object.values(record(record(node)["inputs"])),
  );
  return inputs.filter((input) => typeof input === "string").join(" ");
}

export function countOfGraph(graph: Graph): number {
  const sizes = Object.values(graph).map(
    (node) => record(record(node)["inputs"])["batch_size"] ?? 0,
  );
  return Math.max(1, ...sizes.filter((size) => typeof size === "number"));
}

/** Returns the body of a server's 400, or undefined for a valid graph. */
export function graphFault(graph: Graph): object | undefined {
  const nodes = Object.entries(graph);
  if (nodes.length === 0) return fault("prompt_no_outputs", "Prompt has no outputs");
  for (const [id, node] of nodes) {
    const { class_type: type, inputs } = record(node);
    if (typeof type !== "string")
      return fault("missing_node_type", `Node 'ID #${id}' has no class_type.`);
    for (const [name, input] of Object.entries(record(inputs))) {
      const link: unknown = Array.isArray(input) ? input[0] : undefined;
      const isWrong = Array.isArray(input) && (typeof link !== "string" || !(link in graph));
      if (isWrong) return nodeFault(id, type, "Bad linked input", name);
    }
    const text = record(inputs)["text"];
    if (type === "CLIPTextEncode" && typeof text !== "string")
      return nodeFault(id, type, "Required input is missing", "text");
  }
  const classes = nodes.map(([, node]) => String(record(node)["class_type"]));
  const hasOutput = classes.some((type) => /^(?:Save|Preview)/.test(type));
  return hasOutput ? undefined : fault("prompt_no_outputs", "Prompt has no outputs");
}

function fault(type: string, message: string, nodeErrors: object = {}): object {
  const error = { type, message, details: "", extra_info: {} };
  return { error, node_errors: nodeErrors };
}

export function nodeFault(id: string, type: string, message: string, input: string): object {
  const errors = [
    { type: "value", message, details: `${input}, /srv/models`, extra_info: { input_name: input } },
  ];
  const nodes = { [id]: { errors, dependent_outputs: ["9"], class_type: type } };
  return fault("prompt_outputs_failed_validation", "Prompt outputs failed validation", nodes);
}

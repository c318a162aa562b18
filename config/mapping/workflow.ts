/** A ComfyUI graph in its API format, in a file relative to the catalogue that names it. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { check, type Static, Type } from "../schema.ts";

const Graph = Type.Record(
  Type.String(),
  Type.Object({ class_type: Type.String(), inputs: Type.Record(Type.String(), Type.Unknown()) }),
);
export type WorkflowGraph = Readonly<Static<typeof Graph>>;
const isGraph = check<WorkflowGraph>(Graph);

/** Returns the graph, or its file's fault, which continues "... has a mapping that". */
export function graphAt(workflow: string, catalogueFile: string): WorkflowGraph | string {
  const path = resolve(dirname(catalogueFile), workflow);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return `names the graph ${path}, which is not valid JSON`;
  }
  if (isGraph(value)) return value;
  const isEditors = typeof value === "object" && value !== null && "nodes" in value;
  return isEditors
    ? `names the graph ${path}, which is in the editor's format; export it in the API format`
    : `names the graph ${path}, which is not a graph in the API format`;
}

/** Splits the name of a mapping's input. Names of inputs may contain dots, ids of nodes do not. */
export function readInputName(name: string): { readonly node: string; readonly input: string } {
  const dot = name.indexOf(".");
  return { node: name.slice(0, Math.max(0, dot)), input: name.slice(dot + 1) };
}

/** Returns the workflow's faults, each of which continues "... has a mapping that". */
export function workflowFaults({
  graph,
  inputs,
}: {
  readonly graph: WorkflowGraph;
  readonly inputs: Readonly<Record<string, unknown>>;
}): string[] {
  return Object.keys(inputs).flatMap((name) => {
    const { node, input } = readInputName(name);
    const found = Object.hasOwn(graph, node) ? graph[node] : undefined;
    if (found === undefined) return [`sets ${name}, but the graph has no node ${node || name}`];
    return Object.hasOwn(found.inputs, input)
      ? []
      : [`sets ${name}, but the node ${node} has no input ${input}`];
  });
}

/** From a catalogue entry's mapping to what the service fills in for each job. */
import { knownFields, type ModelTraits } from "./fields.ts";
import type { Mapping } from "./mapping.ts";
import { readPart, templateFaults } from "./template.ts";
import { graphAt, workflowFaults } from "./workflow.ts";

/** A mapping that cannot be used; the message continues "<model> has a mapping that ...". */
export class MappingError extends Error {
  override readonly name = "MappingError";
}

/** A graph is read beside `file`, which is the catalogue's. Throws `MappingError`. */
export function readMapping(
  given: Readonly<Record<string, unknown>>,
  model: ModelTraits,
  isWorkflow: boolean,
  file: string,
): Mapping {
  const mapping: Mapping = isWorkflow
    ? { kind: "workflow", ...workflowOf(given, file) }
    : { kind: "template", template: given };
  const known = knownFields(model, isWorkflow);
  const faults =
    mapping.kind === "workflow"
      ? [...workflowFaults(mapping), ...templateFaults(mapping.inputs, known)]
      : templateFaults(mapping.template, known);
  if (mapping.kind === "template" && readPart(given).kind !== "object")
    throw new MappingError("is no object of members");
  if (faults[0] !== undefined) throw new MappingError(faults[0]);
  return mapping;
}

function workflowOf(given: Readonly<Record<string, unknown>>, file: string) {
  const { workflow, inputs, ...rest } = given;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new MappingError(`has the unknown member ${unknown}`);
  if (typeof workflow !== "string")
    throw new MappingError("names no graph file in its member workflow");
  if (typeof inputs !== "object" || inputs === null || Array.isArray(inputs))
    throw new MappingError("has no object of inputs by <node>.<input>");
  const graph = graphAt(workflow, file);
  if (typeof graph === "string") throw new MappingError(graph);
  return { graph, inputs: { ...inputs } };
}

/** Converts a catalogue entry's mapping to the one that the service fills in for each job. */
import { listKnownFields, type ModelTraits } from "./fields.ts";
import type { Mapping } from "./mapping.ts";
import { readPart, templateFaults } from "./template.ts";
import { graphAt, workflowFaults } from "./workflow.ts";

/** What is wrong with a mapping; each fault continues "<model> has a mapping that ...". */
export interface MappingFaults {
  readonly faults: readonly string[];
}

/** Reads a mapping. A graph's path is relative to `file`, the catalogue file. */
export function readMapping(
  given: Readonly<Record<string, unknown>>,
  model: ModelTraits,
  isWorkflow: boolean,
  file: string,
): Mapping | MappingFaults {
  const mapping = isWorkflow ? readWorkflow(given, file) : readTemplate(given);
  if ("faults" in mapping) return mapping;
  const known = listKnownFields(model, isWorkflow);
  const faults =
    mapping.kind === "workflow"
      ? [...workflowFaults(mapping), ...templateFaults(mapping.inputs, known)]
      : templateFaults(mapping.template, known);
  return faults.length === 0 ? mapping : { faults };
}

type Members = Readonly<Record<string, unknown>>;

function readTemplate(given: Members): Mapping | MappingFaults {
  return readPart(given).kind === "object"
    ? { kind: "template", template: given }
    : { faults: ["is not an object"] };
}

function readWorkflow(given: Members, file: string): Mapping | MappingFaults {
  const { workflow, inputs, ...rest } = given;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return { faults: [`has the unknown member ${unknown}`] };
  if (typeof workflow !== "string")
    return { faults: ["does not name a graph file in its member workflow"] };
  if (typeof inputs !== "object" || inputs === null || Array.isArray(inputs))
    return { faults: ["has no object of inputs by <node>.<input>"] };
  const graph = graphAt(workflow, file);
  if (typeof graph === "string") return { faults: [graph] };
  return { kind: "workflow", graph, inputs: { ...inputs } };
}

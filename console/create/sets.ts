/** Builds a set's request from a form in which each line describes one picture. */
import type { GenerateSetRequest } from "../../clients/typescript/src/generated/models.ts";
import type { Body } from "./body.ts";

export type Member = GenerateSetRequest["members"][number];

/** Name of the form's field that contains the lines. */
export const membersField = "members";
const labelMax = 64;

/** `Spring: in blossom` labels a member Spring, with the common prompt plus the text after it. */
export function setRequest({ [membersField]: lines, ...base }: Body): GenerateSetRequest {
  const members = String(lines ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(parseMember);
  return { base, members };
}

function parseMember(line: string): Member {
  const [, label = line, suffix = line] = /^([^:]{1,64}):\s*(\S.*)$/.exec(line) ?? [];
  return { label: label.trim().slice(0, labelMax), prompt_suffix: suffix };
}

/** Parts that operations of the contract share: schemas with a title, refusals, examples. */

import type { Type } from "../../config/schema.ts";
import { Problem } from "../../contract/problem.ts";
import { problemTypes } from "../problems/problem-types.ts";
import { problem } from "../problems/problems.ts";
import type { Json, Members } from "./json.ts";
import { examples } from "./published-examples.ts";
import { headersOfRefusal, publishedHeaders } from "./published-headers.ts";
import { type Slug, sampleRefusals } from "./sample-refusals.ts";
import { sampleValue } from "./sample-values.ts";

const exampleId = "req-5f0c1d2e3a4b5c6d-1";

/** Bytes of any kind; without a schema, generators of clients leave such bodies out. */
export const bytes: Members = { type: "string", format: "binary" };

export class Components {
  readonly headers = publishedHeaders;
  readonly schemas: Record<string, Json> = {};
  readonly responses: Record<string, Json> = {};
  readonly examples: Record<string, Json> = {};
  private readonly problems: string;

  constructor(baseUrl: string) {
    this.problems = `${baseUrl}/problems`;
  }

  /** Returns the schema as JSON, with references in place of schemas that have a title. */
  showSchema(schema: Type.TSchema): Json {
    return this.replaceReferences(schema);
  }

  /** Describes a body of that schema, with its examples. */
  body(mediaType: string, schema: Type.TSchema): Members {
    const shown = this.showSchema(schema);
    const { title = "" } = schema as { readonly title?: string };
    const named = Object.entries(examples[title] ?? {}).map(([name, example]) => {
      this.examples[`${title}-${name}`] = example;
      return [name, { $ref: `#/components/examples/${title}-${name}` }];
    });
    const given =
      named.length === 0
        ? { example: sampleValue(schema) }
        : { examples: Object.fromEntries(named) };
    return { [mediaType]: { schema: shown, ...given } };
  }

  /** One response with the problem types of a status, shared by operations that have the same. */
  refusal(status: number, slugs: readonly Slug[]): Members {
    const name = [status, ...slugs].join("-");
    this.responses[name] ??= {
      description: describeSlugs(slugs),
      headers: headersOfRefusal(status),
      content: this.problemBody(status, slugs),
    };
    return { $ref: `#/components/responses/${name}` };
  }

  problemBody(status: number, slugs: readonly Slug[]): Members {
    const values = slugs.map((slug) => [slug, { value: this.sample(slug, status) }]);
    const schema = this.showSchema(Problem);
    return { "application/problem+json": { schema, examples: Object.fromEntries(values) } };
  }

  /** A moderation result answers 400 when it was remembered, and 422 when it is new. */
  private sample(slug: Slug, status: number): Json {
    const { body } = problem(sampleRefusals[slug], exampleId, this.problems);
    return { ...(JSON.parse(String(body)) as Members), status };
  }

  /** Does not descend into schemas with a known title, as most parts are the same few schemas. */
  private replaceReferences(node: Json): Json {
    if (Array.isArray(node)) return node.map((item) => this.replaceReferences(item));
    if (typeof node !== "object" || node === null) return node;
    const { title } = node as { readonly title?: unknown };
    const isComponent = typeof title === "string";
    if (isComponent && this.schemas[title] !== undefined) return reference(title);
    const members = addEnumType(
      Object.fromEntries(
        Object.entries(node).map(([name, member]) => [name, this.replaceReferences(member)]),
      ),
    );
    if (!isComponent) return members;
    this.schemas[title] ??= members;
    return reference(title);
  }
}

/** Generators of clients take the values of an enum without a type for objects. */
function addEnumType(schema: Record<string, Json>): Members {
  const { enum: values } = schema;
  if (!Array.isArray(values) || "type" in schema) return schema;
  if (values.every((value) => typeof value === "string")) return { type: "string", ...schema };
  return values.every(Number.isInteger) ? { type: "integer", ...schema } : schema;
}

function reference(title: string): Members {
  return { $ref: `#/components/schemas/${title}` };
}

function describeSlugs(slugs: readonly Slug[]): string {
  const meanings = problemTypes
    .filter(({ slug }) => slugs.some((given) => given === slug))
    .map(({ slug, meaning }) => `\`${slug}\`: ${meaning}`);
  return meanings.join("\n\n");
}

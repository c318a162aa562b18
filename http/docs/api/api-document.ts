/** The published document as the reference reads it: operations by tag, references resolved. */
import type { Members } from "../../documents/json.ts";

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Members;
  readonly example?: unknown;
}

export interface Content {
  readonly mediaType: string;
  readonly schema: Members | undefined;
  /** A body as it is sent or answered, when the document has an example. */
  readonly example: unknown;
}

export interface Response {
  readonly status: string;
  readonly description: string;
  readonly contents: readonly Content[];
}

export interface Operation {
  readonly id: string;
  readonly verb: string;
  /** Path within the API; `origin` is the server that it belongs to. */
  readonly path: string;
  readonly server: string;
  readonly summary: string;
  readonly description: string;
  readonly isOpen: boolean;
  readonly parameters: readonly Parameter[];
  readonly bodies: readonly Content[];
  readonly isBodyRequired: boolean;
  readonly successes: readonly Response[];
  /** Slugs of the problem types by status. */
  readonly refusals: readonly (readonly [status: string, slugs: readonly string[]])[];
}

export interface Tag {
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

export class ApiDocument {
  readonly tags: readonly Tag[];
  private readonly document: Members;

  constructor(document: Members) {
    this.document = document;
    const all = this.listOperations();
    this.tags = (document["tags"] as readonly Members[]).map(({ name, description }) => ({
      name: String(name),
      slug: String(name).toLowerCase(),
      description: String(description),
      operations: all.filter(([tag]) => tag === name).map(([, operation]) => operation),
    }));
  }

  /** Returns the schema of a named type. */
  type(name: string): Members {
    return this.resolve({ $ref: `#/components/schemas/${name}` });
  }

  private listOperations(): readonly (readonly [tag: string, Operation])[] {
    const servers = this.document["servers"];
    return Object.entries(this.document["paths"] as Members).flatMap(([path, item]) => {
      const { servers: own = servers, ...verbs } = item as Members;
      const [{ url: server = "" } = {}] = own as readonly { readonly url?: string }[];
      return Object.entries(verbs).map(([verb, operation]) =>
        this.readOperation({ verb: verb.toUpperCase(), path, server }, operation as Members),
      );
    });
  }

  private readOperation(
    place: Pick<Operation, "verb" | "path" | "server">,
    operation: Members,
  ): readonly [tag: string, Operation] {
    const { operationId, summary, description, security, parameters, requestBody } = operation;
    const responses = this.readResponses(operation["responses"] as Members);
    const isProblem = ({ mediaType }: Content) => mediaType === "application/problem+json";
    const [tag] = operation["tags"] as readonly string[];
    const read: Operation = {
      ...place,
      id: String(operationId),
      summary: String(summary),
      description: String(description),
      isOpen: Array.isArray(security) && security.length === 0,
      parameters: (parameters ?? []) as readonly Parameter[],
      bodies: this.readContents((requestBody as Members | undefined)?.["content"]),
      isBodyRequired: (requestBody as Members | undefined)?.["required"] === true,
      successes: responses.filter(({ status }) => status < "400"),
      refusals: responses
        .filter(({ contents }) => contents.some(isProblem))
        .map(({ status }) => [status, this.listSlugs(operation, status)]),
    };
    return [tag ?? "", read];
  }

  private readResponses(responses: Members): readonly Response[] {
    return Object.entries(responses).map(([status, response]) => {
      const { description, content } = this.resolve(response as Members);
      return { status, description: String(description), contents: this.readContents(content) };
    });
  }

  private readContents(content: unknown): readonly Content[] {
    return Object.entries((content ?? {}) as Members).map(([mediaType, described]) => {
      const { schema, example, examples } = described as Members;
      const [first] = Object.values((examples ?? {}) as Members);
      const shown = first === undefined ? example : this.resolve(first as Members)["value"];
      return { mediaType, schema: schema as Members | undefined, example: shown };
    });
  }

  private listSlugs(operation: Members, status: string): readonly string[] {
    const response = this.resolve((operation["responses"] as Members)[status] as Members);
    const content = (response["content"] as Members)["application/problem+json"] as Members;
    return Object.keys(content["examples"] as Members);
  }

  private resolve(node: Members): Members {
    const { $ref: reference } = node;
    if (typeof reference !== "string") return node;
    const names = reference.slice("#/".length).split("/");
    const found = names.reduce<unknown>((at, name) => (at as Members)[name], this.document);
    return this.resolve(found as Members);
  }
}

/** A method of a client with the values that it is called with. */
export interface Call {
  readonly resource: string;
  readonly method: string;
  readonly isAnswered: boolean;
  /** Values of the path and the query, in order. */
  readonly values: readonly unknown[];
  readonly body: JsonBody | "bytes" | undefined;
  /** Whether the method takes a query, which this call leaves out. */
  readonly hasQuery: boolean;
}

export interface JsonBody {
  readonly json: unknown;
  readonly type: string;
  readonly isOptional: boolean;
}

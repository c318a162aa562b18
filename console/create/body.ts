/** Form values, by the names of the kind's fields; the service validates them. */
export type Body = { readonly model: string } & Readonly<Record<string, unknown>>;

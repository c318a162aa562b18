/** What is filled in, by the names of the kind's fields; the service checks them. */
export type Body = { readonly model: string } & Readonly<Record<string, unknown>>;

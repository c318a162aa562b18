/** JSON as the published document is made of it. */
export type Json = unknown;
export type Members = Readonly<Record<string, Json>>;

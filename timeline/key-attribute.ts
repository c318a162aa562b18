/** Attribute on each tag that a timeline may name, in a served page: the tag's offset. */
export const keyAttribute = "data-klieg-key";

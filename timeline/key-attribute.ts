/** On each tag that the timeline may name, in what a page is given: where the tag began. */
export const keyAttribute = "data-klieg-key";

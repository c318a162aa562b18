/**
 * The version of what nodes say to each other, and to farm nodes. Of another minor one only
 * additions differ: what a node does not know it passes over, and what it is not told it does
 * without. A node of another major one is not understood, and refused.
 */
export const wireVersion = { major: 1, minor: 1 } as const;

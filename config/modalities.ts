/** The kinds of media that models make. */
export const modalities = ["image", "video", "audio", "three_d"] as const;
export type Modality = (typeof modalities)[number];

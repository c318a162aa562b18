import t from "tap";
import { listPublishedExamples } from "./published-contract.ts";

t.test("every example of the published document is what its schema says (D5)", async (t) => {
  const wrong = listPublishedExamples().filter((example) => example.wrong !== undefined);
  t.strictSame(wrong, []);
});

/** Schemas of the bodies that a client meets first. */
const common = [
  "GenerateImageRequest",
  "GenerateVideoRequest",
  "GenerateAudioRequest",
  "Generate3DRequest",
  "GenerateSetRequest",
  "JobCostRequest",
  "CreateCompositionRequest",
  "RenderRequest",
  "CreateTokenRequest",
  "CreateUploadRequest",
  "CreateTurnRequest",
  "CreateShareRequest",
  "ShareLink",
  "ShareResolution",
  "Job",
  "Asset",
  "SseTicket",
  "JobCostQuote",
  "User",
  "Render",
  "Composition",
  "Upload",
  "Problem",
];

t.test("the common bodies have an example (D5)", async (t) => {
  const shown = new Set(listPublishedExamples().map(({ schema }) => schema.split("/").at(-1)));
  t.strictSame(
    common.filter((name) => !shown.has(name)),
    [],
  );
});

t.test("event streams publish their frames and how they come over the wire (D5)", async (t) => {
  const streams = listPublishedExamples().filter(({ place }) =>
    place.includes("text/event-stream"),
  );
  t.strictSame(streams.map(({ place }) => place.split(" ")[1]).sort(), [
    "/agent/sessions/{id}/events",
    "/jobs/{id}/sse",
    "/renders/{id}/sse",
  ]);
});

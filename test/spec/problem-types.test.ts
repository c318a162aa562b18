import t from "tap";
import { openInProcess } from "./in-process-service.ts";

/** The specification's table of problems: slug, statuses, title. */
const table: readonly (readonly [string, readonly number[], string])[] = [
  ["validation", [400], "Invalid Request"],
  ["prompt-nsfw", [400, 422], "Request Refused"],
  ["ip-detected", [400, 422], "Request Refused"],
  ["unauthorized", [401], "Unauthorized"],
  ["share-password-required", [401], "Password Required"],
  ["out-of-credits", [402], "Out Of Credits"],
  ["member-budget", [402], "Member Budget Reached"],
  ["plan-required", [402], "Plan Required"],
  ["approval-needed", [402], "Approval Needed"],
  ["forbidden", [403], "Forbidden"],
  ["not-found", [404], "Not Found"],
  ["method-not-allowed", [405], "Method Not Allowed"],
  ["not-acceptable", [406], "Not Acceptable"],
  ["wait-timeout", [408], "Wait Timed Out"],
  ["duplicate", [409], "Duplicate Submission"],
  ["conflict", [409], "Conflict"],
  ["run-ended", [409], "Run Ended"],
  ["gone", [410], "Gone"],
  ["precondition-failed", [412], "Precondition Failed"],
  ["uri-too-long", [414], "URI Too Long"],
  ["headers-too-large", [431], "Headers Too Large"],
  ["upload-incomplete", [422], "Upload Incomplete"],
  ["payload-too-large", [413], "Payload Too Large"],
  ["unsupported-media-type", [415], "Unsupported Media Type"],
  ["confirmation-rejected", [422], "Confirmation Rejected"],
  ["unexportable", [422], "Nothing To Export"],
  ["concurrency", [429], "Generation Concurrency Limit Reached"],
  ["quota", [429], "Generation Quota Reached"],
  ["rate-limit", [429], "Too Many Requests"],
  ["job-failed", [422, 502], "Generation Failed"],
  ["internal", [500], "Internal Error"],
  ["upstream", [502], "Upstream Failed"],
  ["unavailable", [503], "Service Unavailable"],
];

interface Explained {
  readonly title: string;
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
}

for (const [slug, statuses, title] of table)
  t.test(
    `GET /problems/${slug} returns that type's title, status, meaning and remedy`,
    async (t) => {
      const house = await openInProcess(t);
      const { status, json } = await house.stranger.get<Explained>(`/v1/problems/${slug}`);
      t.equal(status, 200);
      t.equal(json.title, title);
      t.ok(statuses.includes(json.status), `${json.status}`);
      t.ok(json.meaning.length > 10 && json.remedy.length > 10);
    },
  );

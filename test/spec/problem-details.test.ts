/** The sentences of problems, as a person reads them (D12). */
import t from "tap";
import type { Refusal } from "../../actors/refusal.ts";
import { buildProblem } from "../../http/problems/problems.ts";
import { routeTable } from "../../http/route-table.ts";
import { openInProcess } from "./in-process-service.ts";

const nobody = "019d9000-0000-7000-8000-000000000000";
const oneSentence = /^[A-Z][^.]*\.$/;

function createAddress(path: string): string {
  return path.replaceAll(/\{[^}]+\}/g, nobody);
}

t.test("every 404 says in a sentence what it means (D12)", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const bob = await house.account();
  const foreign = await bob.job("a kite");
  const places = routeTable
    .filter(({ path }) => path.includes("{"))
    .map(({ method, path }) => [method, createAddress(path)] as const);
  const unknown = [
    ["GET", "/v1/nothing"],
    ["POST", "/v2/me"],
    ["DELETE", "/v1//jobs"],
    ["GET", `/v1/jobs/${foreign.id}`],
  ] as const;
  let found = 0;
  for (const [method, path] of [...places, ...unknown]) {
    for (const caller of [ada, house.admin]) {
      const { status, json } = await caller.request(method, path, { body: {} });
      if (status !== 404) continue;
      found++;
      t.match(json, { title: "Not Found", detail: oneSentence }, `${method} ${path}`);
    }
  }
  t.ok(found > places.length, `${found} answers were 404`);
});

t.test("every 405 says in a sentence which methods the address has (D12)", async (t) => {
  const house = await openInProcess(t);
  for (const path of new Set(routeTable.map((route) => route.path))) {
    const { status, headers, json } = await house.admin.request("BREW", createAddress(path));
    t.equal(status, 405, path);
    t.match(json, { detail: `This path allows only ${headers["allow"]}.` });
    t.match(headers["allow"], /^[A-Z]+(, [A-Z]+)*$/);
  }
});

const numbered: readonly (readonly [Refusal, string])[] = [
  [
    { code: "out_of_credits", creditsRequired: 1, balanceCredits: 0 },
    "This costs 1 credit; 0 are left.",
  ],
  [
    { code: "out_of_credits", creditsRequired: 2, balanceCredits: 1 },
    "This costs 2 credits; 1 is left.",
  ],
  [
    { code: "member_budget", budgetCredits: 1, usedCredits: 1, resetsAtMs: null },
    "1 of your budget of 1 credit is used.",
  ],
  [
    { code: "member_budget", budgetCredits: 9, usedCredits: 8, resetsAtMs: null },
    "8 of your budget of 9 credits are used.",
  ],
  [
    { code: "approval_required", creditsRequired: 1, runTotalCredits: 3, creditCeiling: 2 },
    "This generation costs 1 credit and would bring the run to 3; the approved price is 2.",
  ],
  [
    { code: "concurrency", max: 1, active: 1 },
    "Your plan runs 1 generation at once. Try again when one has ended.",
  ],
  [{ code: "quota", quota: 1, used: 1, resetsAtMs: 0 }, "Your plan accepts 1 generation a day."],
  [{ code: "quota", quota: 9, used: 9, resetsAtMs: 0 }, "Your plan accepts 9 generations a day."],
];

t.test("numbers agree with what they count (D12)", async (t) => {
  for (const [refusal, detail] of numbered) t.equal(buildProblem(refusal).detail, detail);
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 1 });
  const taken = await house.admin.post(`/v1/admin/accounts/${ada.id}/credits`, { amount: -2 });
  t.match(taken.json, { status: 409, detail: "Only 1 credit can be taken back." });
});

t.test(
  "a value that is not one of those allowed is answered with all that are (D12)",
  async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const listed = await ada.get("/v1/jobs?status=done");
    const detail =
      "must be one or more of queued, running, succeeded, failed, canceled, separated by commas";
    t.strictSame(listed.json.errors, [{ pointer: "?status", detail }]);
    t.equal(listed.json.detail, `?status ${detail}`);
    const asked = await ada.submit("a kite", { output_format: "bmp" });
    t.match(asked.json, { status: 400, detail: "/output_format must be one of png, jpeg, webp" });
  },
);

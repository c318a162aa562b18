import t from "tap";
import type { Job } from "../../contract/job.ts";
import {
  type Acknowledged,
  allBalance,
  allEnd,
  ask,
  createOwners,
  type Owner,
} from "./accounts.ts";
import { type Klieg, startKlieg } from "./klieg-process.ts";

const accounts = 125;
const submitsPerAccount = 8;
const submits = accounts * submitsPerAccount;

/** Jobs of every kind: quick ones, long-running ones, and ones that fail. */
const endings = ["", "sim:slow=400", "sim:fail", "sim:queue=200", "sim:nsfw_output sim:slow=50"];

function makePrompt(n: number): string {
  return `kite ${n} ${endings[n % endings.length]}`;
}

/**
 * Submits from `first` on, 32 at a time, until all are sent or the service has ended; calls
 * `onAnswer` after each answer. Submits without an answer are not repeated.
 */
async function submitFrom(
  port: number,
  owners: readonly Owner[],
  first: number,
  acknowledged: Acknowledged[],
  onAnswer: () => void,
): Promise<{ next: number; others: number[] }> {
  let next = first;
  let isGone = false;
  const others: number[] = [];
  const lane = async () => {
    while (next < submits && !isGone) {
      const n = next++;
      const owner = owners[n % accounts] as Owner;
      const body = { model: "sim-instant", prompt: makePrompt(n), num_images: 1 + (n % 4) };
      try {
        const { status, json } = await ask<Job>(port, owner.token, "/generate/image", body);
        if (status === 202) acknowledged.push({ owner, id: json.id });
        else others.push(status);
        onAnswer();
      } catch {
        isGone = true;
      }
    }
  };
  await Promise.all(Array.from({ length: 32 }, lane));
  return { next, others };
}

t.test(
  "SIGKILL at any moment during 1,000 submits loses no acknowledged job and no credit",
  async (t) => {
    const dataDir = t.testdir();
    const acknowledged: Acknowledged[] = [];
    let klieg: Klieg = await startKlieg(t, dataDir, { KLIEG_SHARDS: "2" });
    const owners = await createOwners(klieg.port, accounts);
    let next = 0;
    for (const killAt of [1, 150, 420, 700, 850]) {
      const { child, ended, port } = klieg;
      const round = await submitFrom(port, owners, next, acknowledged, () => {
        if (acknowledged.length >= killAt) child.kill("SIGKILL");
      });
      next = round.next;
      t.strictSame(round.others, [], "every answer was 202");
      t.equal((await ended).signal, "SIGKILL");
      klieg = await startKlieg(t, dataDir, { KLIEG_SHARDS: "2" });
      t.pass(
        `killed after ${acknowledged.length} answers: the next start takes over the stale lock`,
      );
      await allBalance(t, klieg.port, owners.slice(0, 25));
    }
    const last = await submitFrom(klieg.port, owners, next, acknowledged, () => {});
    t.strictSame(last.others, []);
    t.equal(last.next, submits);
    t.ok(acknowledged.length >= submits - 5 * 32, "at most those in flight have no answer");
    await allEnd(t, klieg.port, acknowledged);
    await allBalance(t, klieg.port, owners);
    await klieg.kill("SIGTERM");
  },
);

t.test("the duplicate window survives a SIGKILL", async (t) => {
  const dataDir = t.testdir();
  const first = await startKlieg(t, dataDir);
  const [owner] = await createOwners(first.port, 1);
  const { token } = owner as Owner;
  const body = { model: "sim-instant", prompt: "a kite" };
  const { json: job } = await ask<Job>(first.port, token, "/generate/image", body);
  await first.kill("SIGKILL");
  const second = await startKlieg(t, dataDir);
  const again = await ask<{ job_id: string }>(second.port, token, "/generate/image", body);
  t.equal(again.status, 409);
  t.equal(again.json.job_id, job.id);
  await second.kill("SIGKILL");
});

t.test("a canceled job stays canceled over a SIGKILL, and its hold is settled once", async (t) => {
  const dataDir = t.testdir();
  const first = await startKlieg(t, dataDir);
  const owners = await createOwners(first.port, 1);
  const owner = owners[0] as Owner;
  const ids: string[] = [];
  for (const prompt of ["sim:busy=9", "sim:slow=600000", "sim:slow=600000 sim:cancel_refused"]) {
    const body = { model: "sim-instant", prompt, num_images: 4 };
    ids.push((await ask<Job>(first.port, owner.token, "/generate/image", body)).json.id);
  }
  for (const id of ids) await ask<Job>(first.port, owner.token, `/jobs/${id}/cancel`, {});
  await first.kill("SIGKILL");
  const second = await startKlieg(t, dataDir);
  for (const id of ids)
    t.equal((await ask<Job>(second.port, owner.token, `/jobs/${id}`)).json.status, "canceled");
  await allBalance(t, second.port, owners);
  await second.kill("SIGKILL");
});

/**
 * Threads and the farm die at random, in any order, also while they recover, under a load of
 * submits, cancels, renders and streams. Nothing that was acknowledged is lost, nothing is stuck,
 * every stream ends in `complete`, every ledger balances.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Test } from "tap";
import type { Static } from "../../config/schema.ts";
import type { Credits } from "../../contract/account.ts";
import type { InvariantPage } from "../../contract/admin.ts";
import type { Job, JobPage, SseTicket } from "../../contract/job.ts";
import type { Render } from "../../contract/render.ts";
import { Dice } from "../hostile/dice.ts";
import { childProcesses, killIfRunning } from "../render-farm/child-processes.ts";
import { type Caller, imagePath } from "../spec/caller.ts";
import { make, page } from "../spec/composition-steps.ts";
import { EventReader } from "../spec/event-reader.ts";
import { again, openHouse, shardCount } from "./threads-house.ts";

const opening = 100_000;
const farmEntry = join(import.meta.dirname, "quick-farm.js");

type House = Awaited<ReturnType<typeof openHouse>>;

/** Everything that the service acknowledged to one account. */
class Owner {
  readonly caller: Caller;
  readonly jobs: string[] = [];
  readonly renders: string[] = [];
  readonly streams: { readonly path: string; readonly reader: EventReader }[] = [];
  private readonly composition: string;
  private readonly dice: Dice;
  private asks = 0;

  constructor(caller: Caller, composition: string, dice: Dice) {
    this.caller = caller;
    this.composition = composition;
    this.dice = dice;
  }

  /** Performs one operation of a client; a 503 leaves its outcome unknown. */
  async act(): Promise<void> {
    const turn = this.dice.share();
    if (turn < 0.5) await this.submit();
    else if (turn < 0.6) await this.cancel();
    else if (turn < 0.8) await this.render();
    else await this.follow("jobs", this.jobs.at(-1));
    if (turn > 0.9) await this.follow("renders", this.renders.at(-1));
  }

  private async submit(): Promise<void> {
    const prompt = `kite ${++this.asks} sim:slow=${this.dice.number(400)}`;
    const model = this.dice.share() < 0.3 ? "studio-image" : "sim-instant";
    const { status, json } = await this.caller.post<Job>(imagePath, { model, prompt });
    if (status === 202) this.jobs.push(json.id);
  }

  private async cancel(): Promise<void> {
    if (this.jobs.length > 0) await this.caller.cancel(this.dice.pick(this.jobs));
  }

  private async render(): Promise<void> {
    const path = `/v1/compositions/${this.composition}/render`;
    const { status, json } = await this.caller.post<Render>(path, {});
    if (status === 202) this.renders.push(json.id);
  }

  private async follow(kind: "jobs" | "renders", id: string | undefined): Promise<void> {
    if (
      id === undefined ||
      this.streams.filter(({ reader }) => reader.state === "open").length > 20
    )
      return;
    const path = `/v1/${kind}/${id}/sse`;
    const { status, json } = await this.caller.post<Static<typeof SseTicket>>(`${path}-ticket`);
    if (status !== 201) return;
    const answer = await this.caller.answer("GET", `${path}?ticket=${json.ticket}`);
    if (answer.status === 200 && typeof answer.body !== "string")
      this.streams.push({ path, reader: new EventReader(answer.body) });
  }

  /** Checks that all jobs and renders end, and that every event stream reports it. */
  async check(t: Test): Promise<void> {
    const { caller } = this;
    const endings: unknown[] = [];
    for (const id of this.jobs) {
      const { status, json } = await again(() =>
        caller.get<Job>(`/v1/jobs/${id}/wait?timeout_seconds=900`),
      );
      if (status !== 200) endings.push([id, status, json]);
    }
    for (const id of this.renders) {
      const read = () => again(() => caller.get<Render>(`/v1/renders/${id}`));
      let { status, json } = await read();
      while (status === 200 && !["succeeded", "failed"].includes(json.status)) {
        await delay(20);
        ({ status, json } = await read());
      }
      if (status !== 200) endings.push([id, status, json]);
    }
    t.strictSame(endings, [], `${this.jobs.length} jobs and ${this.renders.length} renders end`);
    while (this.streams.some(({ reader }) => reader.state === "open")) await delay(20);
    const last = this.streams.map(({ reader }) => reader.frames.at(-1)?.event);
    t.ok(
      last.every((event) => event === "complete"),
      `${last.length} streams end in complete`,
    );
    for (const { reader } of this.streams) reader.leave();
    t.ok(await this.balances(), "credits balance");
  }

  /** Compares credits with jobs; reads again if unacknowledged jobs changed them meanwhile. */
  private async balances(): Promise<boolean> {
    const credits = () => again(() => this.caller.get<Static<typeof Credits>>("/v1/me/credits"));
    for (;;) {
      const before = await credits();
      const listed = await this.list();
      const { json } = await credits();
      if (before.json.held_credits !== json.held_credits) continue;
      if (before.json.balance_credits !== json.balance_credits) continue;
      const { balance_credits, held_credits } = json;
      const { held, charged } = listed;
      return held === held_credits && opening === (balance_credits ?? 0) + charged + held;
    }
  }

  private async list() {
    let [charged, held, cursor] = [0, 0, ""];
    do {
      const page = await again(() =>
        this.caller.get<Static<typeof JobPage>>(`/v1/jobs?limit=100${cursor}`),
      );
      for (const { credits_charged, credits_held } of page.json.items) {
        charged += credits_charged ?? 0;
        held += credits_charged === null ? credits_held : 0;
      }
      cursor = page.json.next_cursor === null ? "" : `&cursor=${page.json.next_cursor}`;
    } while (cursor !== "");
    return { charged, held };
  }
}

/** Kills a random thread, or the farm. */
function strike(house: House, dice: Dice): void {
  const shards = Array.from({ length: shardCount + 1 }, (_, shard) => shard);
  const victim = dice.pick([...shards, "effects", "farm"] as const);
  if (victim === "farm") {
    const farm = childProcesses().find(({ command }) => command.includes("quick-farm.js"));
    if (farm !== undefined) killIfRunning(farm.pid);
  } else house.condemn(victim);
}

/** Equal seeds give the same deaths at the same moments, as far as thread timing allows. */
export async function survive(t: Test, deaths: number, seed: number): Promise<void> {
  const house = await openHouse(t, farmEntry);
  const dice = new Dice(seed);
  const owners: Owner[] = [];
  for (let n = 0; n < 4; n++) {
    const caller = await house.account(opening);
    const composition = await make(caller, { "index.html": page() });
    owners.push(new Owner(caller, composition, dice));
  }
  let isOver = false;
  const lanes = owners.flatMap((owner) =>
    Array.from({ length: 2 }, async () => {
      while (!isOver) {
        await owner.act();
        await delay(dice.number(20));
      }
    }),
  );
  for (let death = 0; death < deaths; death++) {
    await delay(dice.number(300));
    strike(house, dice);
  }
  isOver = true;
  await Promise.all(lanes);
  for (const owner of owners) await owner.check(t);
  const audit = () => again(() => house.admin.get<InvariantPage>("/v1/admin/invariants"));
  t.match((await audit()).json, { items: [], accounts: owners.length + 1, moving: [] });
  t.strictSame(house.faults, []);
}

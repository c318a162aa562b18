/**
 * Clients of the product: they come in by the directory, submit jobs, cancel, pay and read. What
 * each was told has to stay true: an accepted job is there, only goes on, and ends once; credits
 * that were granted or spent are counted once.
 */

import { directoryKey } from "../../../actors/directory/directory-messages.ts";
import { domain } from "../../../actors/domain.ts";
import { buildCreation } from "../../../actors/job/creation.ts";
import type { Account } from "../../../actors/protocol/account.ts";
import { accountKey } from "../../../actors/protocol/account-messages.ts";
import { type Job, jobKey } from "../../../actors/protocol/job.ts";
import { packSubmit } from "../../../actors/protocol/packed-submit.ts";
import type { Gateway } from "../../../engine/gateway.ts";
import { firstIdAt, type Id, partitionOfId } from "../../../engine/id.ts";
import { getPartition } from "../../../engine/key.ts";
import { ShardDown } from "../../../engine/reading/shard-end.ts";
import { type AccountLook, lookAtAccount } from "../../../http/accounts/account-look.ts";
import { jobRequest } from "../../actors/accounts.ts";
import type { Clients } from "./clients.ts";
import type { SimCluster } from "./sim-cluster.ts";
import { SimProvider } from "./sim-provider.ts";
import { type Accepted, Streams } from "./streams.ts";
import type { Work, WorkParts } from "./surroundings.ts";
import { Tickets } from "./tickets.ts";

/** What a client knows of a user's account from answers alone. */
interface Customer {
  readonly id: Id;
  isOpen: boolean;
  /** Credits that were certainly granted and spent, and those of unanswered requests. */
  granted: number;
  maybeGranted: number;
  paid: number;
  maybePaid: number;
  readonly fingerprints: Map<string, { job: Id; atMs: number }>;
}

type Reply = { readonly kind: string; readonly refusal?: { readonly code: string } };

const startMs = Date.UTC(2026, 10, 20, 12);
const openingCredits = 500;
const endsMs = 300_000;
const movesMs = 15_000;
const overrides = { concurrentMax: 4, generationsPerDay: 1_000 };
const note = { actor: "a", action: "b", target: "c", requestId: "d", address: "e" };

export class ProductClients implements Clients {
  readonly domain = domain;
  private readonly provider: SimProvider;
  private readonly tickets = new Tickets(() => this.of);
  private readonly streams = new Streams(() => this.of);
  private readonly customers: readonly Customer[];
  private readonly accepted: Accepted[] = [];
  private cluster: SimCluster | undefined;
  private works = 0;
  private ids = 0;

  constructor() {
    this.provider = new SimProvider(() => this.of);
    this.customers = [0x21, 0x60, 0xc4].map((partition, at) => ({
      id: `${firstIdAt(startMs, partition).slice(0, 18)}-8000-00000000000${at}`,
      isOpen: false,
      granted: openingCredits,
      maybeGranted: 0,
      paid: 0,
      maybePaid: 0,
      fingerprints: new Map(),
    }));
  }

  openWork(parts: WorkParts): Work {
    const streams = this.streams.openLife(parts);
    return {
      ...this.provider.openWork(parts, ++this.works),
      drain: (shard) => streams.drain(shard),
    };
  }

  join(cluster: SimCluster): void {
    this.cluster = cluster;
  }

  act(): void {
    const { dice, running } = this.of;
    const { gateway } = dice.pick(running);
    if (gateway === undefined) return;
    const customer = dice.pick(this.customers);
    if (!customer.isOpen) void this.open(gateway, customer);
    else this.use(gateway, customer);
  }

  async wrongAtEnd(): Promise<string | undefined> {
    return (await this.wrongJobs()) ?? this.streams.wrongAtEnd() ?? (await this.wrongAccounts());
  }

  private get of(): SimCluster {
    if (this.cluster === undefined) throw new Error("the clients have joined no cluster");
    return this.cluster;
  }

  private use(gateway: Gateway, customer: Customer): void {
    const { dice } = this.of;
    const job = this.accepted.length === 0 ? undefined : dice.pick(this.accepted);
    const kind = dice.weigh({
      submit: 8,
      read: 6,
      cancel: 2,
      pay: 2,
      grant: 2,
      ticket: 2,
      stream: 2,
    });
    if (kind === "submit") void this.submit(gateway, customer);
    else if (kind === "pay") void this.pay(gateway, customer);
    else if (kind === "grant") void this.grant(gateway, customer);
    else if (kind === "ticket") void this.tickets.use(gateway, customer.id);
    else if (job === undefined) return;
    else if (kind === "stream") this.streams.open(gateway, job);
    else void this[kind](gateway, job);
  }

  private async open(gateway: Gateway, customer: Customer): Promise<void> {
    const { id } = customer;
    const email = `${id}@example.org`;
    const account = { id, email, plan: "pro", balance_credits: openingCredits } as const;
    const user = { id, email, displayName: "", plan: "pro", status: "active" } as const;
    const reply = (await gateway.ask(
      directoryKey,
      {
        kind: "create_user",
        user: { ...user, createdAtMs: startMs, overrides },
        emailDigest: id.padEnd(32, "0").slice(-32),
        credential: undefined,
        credits: openingCredits,
        reply: { kind: "created", account },
      },
      "work",
    )) as Reply;
    this.of.note(`a client opens ${id.slice(-1)}: ${name(reply)}`);
    if (reply.kind === "created") customer.isOpen = true;
    if (reply.kind !== "refused") return;
    // The customer existed already, and its account is told of it sooner or later.
    const found = await gateway.find(accountKey(id)).catch(() => undefined);
    if (found !== undefined) customer.isOpen = true;
  }

  private async submit(gateway: Gateway, customer: Customer): Promise<void> {
    const { dice, timeline } = this.of;
    const scope = customer.id;
    const body = dice.percent(20) ? dice.between(0, 5) : 100 + this.ids;
    const fingerprint = Buffer.from(String(body).padStart(16, "-")).toString("hex");
    const id = this.mint(scope);
    const atMs = startMs + timeline.nowMs;
    const request = { ...jobRequest, id, scope, user: scope, createdAtMs: atMs, fingerprint };
    const provider = dice.pick(["plain", "exact"]);
    const job = buildCreation(
      { ...request, model: "kite" },
      {
        provider,
        hold: dice.between(1, 9),
        count: 1,
        deadlineSeconds: 60,
        modelTag: 7,
        inlineMs: 0,
      },
    );
    const submit = packSubmit({
      job,
      fingerprint: Buffer.from(fingerprint, "hex").toString("latin1"),
      confirmation: undefined,
      plan: "pro",
      overrides,
      rateRetryAfterSeconds: undefined,
    });
    const reply = (await gateway.ask(
      accountKey(scope),
      { kind: "submit", submit },
      "work",
    )) as Reply;
    this.of.note(`a client submits ${id.slice(-4)}: ${name(reply)}`);
    if (reply.kind !== "accepted") return;
    const earlier = customer.fingerprints.get(fingerprint);
    if (earlier !== undefined)
      this.of.fail(`I9: jobs ${earlier.job} and ${id} were both accepted for one fingerprint`);
    customer.fingerprints.set(fingerprint, { job: id, atMs });
    this.accepted.push({ id, scope, revision: 0, end: undefined });
  }

  private async read(gateway: Gateway, job: Accepted): Promise<void> {
    const { revision: least, end } = job;
    let head: Job | undefined;
    try {
      head = await gateway.find(jobKey(job.id));
    } catch (error) {
      if (error instanceof ShardDown) return;
      throw error;
    }
    if (head === undefined) this.of.fail(`job ${job.id} was accepted and is not there`);
    else if (head.revision < least)
      this.of.fail(`job ${job.id} went back from revision ${least} to ${head.revision}`);
    else if (end !== undefined && head.phase !== end)
      this.of.fail(`I5: job ${job.id} was ${end} and is ${head.phase}`);
    if (head === undefined) return;
    job.revision = Math.max(job.revision, head.revision);
    if (isOver(head)) job.end = head.phase;
  }

  private async cancel(gateway: Gateway, job: Accepted): Promise<void> {
    const message = { kind: "cancel", user: "u" } as const;
    const reply = (await gateway.ask(jobKey(job.id), message, "work")) as Reply;
    this.of.note(`a client cancels ${job.id.slice(-4)}: ${name(reply)}`);
    if (reply.kind === "refused" && reply.refusal?.code === "not_found")
      this.of.fail(`job ${job.id} was accepted and is not found`);
  }

  private async pay(gateway: Gateway, customer: Customer): Promise<void> {
    const credits = this.of.dice.between(1, 5);
    customer.maybePaid += credits;
    const rateRetryAfterSeconds = undefined;
    const pay = { kind: "pay", credits, note: "enhance", member: undefined } as const;
    const message = { ...pay, turn: undefined, rateRetryAfterSeconds };
    const reply = (await gateway.ask(accountKey(customer.id), message, "work")) as Reply;
    this.of.note(`a client pays ${credits}: ${name(reply)}`);
    if (reply.kind === "lost") return;
    customer.maybePaid -= credits;
    if (reply.kind === "paid" || reply.kind === "done") customer.paid += credits;
  }

  /** The directory grants credits by a tell to the account, which answers the asking node. */
  private async grant(gateway: Gateway, customer: Customer): Promise<void> {
    const amount = this.of.dice.between(1, 20);
    customer.maybeGranted += amount;
    const grant = { kind: "give_credits", scope: customer.id, amount, note: undefined } as const;
    const reply = (await gateway.ask(directoryKey, { ...grant, audit: note }, "work")) as Reply;
    this.of.note(`an operator grants ${amount}: ${name(reply)}`);
    if (reply.kind === "lost") return;
    customer.maybeGranted -= amount;
    if (reply.kind === "granted") customer.granted += amount;
  }

  private async wrongJobs(): Promise<string | undefined> {
    const { timeline, wrong } = this.of;
    for (const untilMs = timeline.nowMs + endsMs; ; ) {
      const open: string[] = [];
      for (const job of this.accepted) {
        const gateway = await this.readOwner(partitionOfId(job.id));
        if (gateway === undefined) return "a shard has no owner any more";
        await this.read(gateway, job);
        if (wrong.length > 0) return undefined;
        if (job.end === undefined) open.push(job.id);
      }
      if (open.length === 0) return undefined;
      if (timeline.nowMs >= untilMs) return `jobs do not end: ${open.join(", ")}`;
      await timeline.pass(5_000);
    }
  }

  private async wrongAccounts(): Promise<string | undefined> {
    const looks: (() => Promise<string | undefined>)[] = [];
    for (const customer of this.customers) {
      const key = accountKey(customer.id);
      const gateway = await this.readOwner(getPartition(key));
      const account: Account | undefined = gateway?.read(key);
      if (gateway === undefined || account === undefined) {
        if (customer.isOpen) return `the account of ${customer.id} is not there`;
        continue;
      }
      const look = lookAtAccount(gateway, customer.id);
      looks.push(async () => wrongAccount(customer, account, await look));
    }
    // A look waits until its shard has flushed.
    await this.of.timeline.pass(3_000);
    for (const look of looks) {
      const wrong = await look();
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  /** The shard may be moving to the node that comes first for it. */
  private async readOwner(partition: number): Promise<Gateway | undefined> {
    const { nodes, shardCount, timeline } = this.of;
    const shard = (partition * shardCount) >> 8;
    for (let leftMs = movesMs; leftMs > 0; leftMs -= 250) {
      const owner = nodes.find((node) => node.answersReads(shard));
      if (owner !== undefined) return owner.gateway;
      await timeline.pass(250);
    }
    return undefined;
  }

  private mint(scope: Id): Id {
    const number = (++this.ids).toString(16).padStart(12, "0");
    const first = firstIdAt(startMs + this.of.timeline.nowMs, partitionOfId(scope));
    return `${first.slice(0, 18)}-8000-${number}`;
  }
}

/** Of an account that was looked at since. */
function wrongAccount(
  { granted, maybeGranted, paid, maybePaid }: Customer,
  account: Account,
  { findings: [finding] }: AccountLook,
): string | undefined {
  if (finding !== undefined) return `I6: ${finding.detail}`;
  const added = account.granted - granted;
  if (added < 0 || added > maybeGranted)
    return `I6: ${granted} credits were granted and ${maybeGranted} may be, not ${account.granted}`;
  if (account.spent < paid) return `I6: ${paid} credits were paid, ${account.spent} are spent`;
  const { active } = account;
  if (active.media > overrides.concurrentMax) return `I7: ${active.media} slots are held`;
  return maybePaid < 0 ? "a payment was counted twice" : undefined;
}

function isOver({ phase }: Job): boolean {
  return phase === "succeeded" || phase === "failed" || phase === "canceled";
}

function name({ kind, refusal }: Reply): string {
  return refusal === undefined ? kind : `${kind} ${refusal.code}`;
}

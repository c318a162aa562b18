/**
 * Random uploads, probes and trash: an asset is in the state that the specification's table says,
 * counted once, and what is gone leaves no row.
 */

import fc from "fast-check";
import t from "tap";
import { domain as product } from "../../actors/domain.ts";
import {
  type Asset,
  type AssetMessage,
  assetKey,
  type UploadPlan,
  uploadPartKey,
} from "../../actors/protocol/asset.ts";
import { codes } from "../../actors/table-codes.ts";
import type { Domain } from "../../engine/domain.ts";
import type { Id } from "../../engine/id.ts";
import { getCode, type Key } from "../../engine/key.ts";
import { withBug } from "./broken-domain.ts";
import { type Command, engine, time } from "./commands.ts";
import { checkSequences, find, firstBroken, type Subject, sequences } from "./sequences.ts";
import { callerAt, Stage } from "./stage.ts";

type Phase = Asset["phase"] | "gone";

type AssetCommand =
  | Command
  | { readonly kind: "upload"; readonly by: number; readonly isDirect: boolean }
  | { readonly kind: "say"; readonly asset: number; readonly message: AssetMessage };

interface Known {
  readonly phase: Phase;
  readonly token?: string | undefined;
  readonly attempts: number;
  /** Time from which the clock alone moves the asset on. */
  readonly dueMs?: number | undefined;
}

const hourMs = 3_600_000;
const dayMs = 86_400_000;
const bytes = { objectKey: "o", mimeType: "image/png", sizeBytes: 1, sha256: "" };
const farm: readonly string[] = ["claim", "lapsed", "finished", "progress"];

class AssetStage implements Subject<AssetCommand> {
  private readonly stage: Stage;
  private readonly known = new Map<Key<Asset>, Known>();
  private readonly order: Key<Asset>[] = [];

  constructor(domain: Domain = product) {
    this.stage = new Stage(domain);
  }

  run(command: AssetCommand): Promise<void> | undefined {
    if (command.kind === "upload") return this.upload(callerAt(command.by), command.isDirect);
    if (command.kind !== "say") return this.stage.run(command);
    const key = this.order[command.asset % Math.max(1, this.order.length)];
    return key === undefined ? undefined : this.say(key, command.message);
  }

  findBreak(): string | undefined {
    return this.stage.findBreak() ?? this.wrongPhase() ?? this.strayPart();
  }

  private upload({ scope, user }: { scope: Id; user: Id }, isDirect: boolean): undefined {
    const { world } = this.stage;
    const id = world.id();
    const expiresAtMs = world.atMs + dayMs;
    const upload: UploadPlan = {
      mimeType: "image/png",
      sizeBytes: 1,
      method: "multipart",
      partCount: 2,
      expiresAtMs,
    };
    const origin = { filename: "a.png", user };
    const common = { id, scope, createdAtMs: world.atMs, origin };
    const asset: Asset = isDirect
      ? { ...common, phase: "processing", bytes, attempts: 0 }
      : { ...common, phase: "pending_upload", upload };
    const key = assetKey(scope, id);
    this.order.push(key);
    const heard = world.ask(key, { kind: "create", asset });
    if (!this.stage.expect("an upload", heard, undefined)) return undefined;
    const dueMs = isDirect ? world.atMs + hourMs : expiresAtMs;
    world.set(this.known, key, { phase: asset.phase, attempts: 0, dueMs });
    return undefined;
  }

  private say(key: Key<Asset>, message: AssetMessage): undefined {
    const { world } = this.stage;
    const before = this.known.get(key) ?? { phase: "gone", attempts: 0 };
    const { refusal, next } = move(before, message, world.atMs);
    if (farm.includes(message.kind)) world.tell(key, message);
    else this.stage.expect(message.kind, world.ask(key, message), refusal);
    if (world.steps.length > 0 && this.known.has(key)) world.set(this.known, key, next);
    return undefined;
  }

  /** Checks that time moved only what was due, and only to where time leads. */
  private wrongPhase(): string | undefined {
    const { world } = this.stage;
    for (const [key, { phase, dueMs, ...rest }] of this.known) {
      const head = world.read(key);
      const is = head?.phase ?? "gone";
      if (is === phase) continue;
      const isDue = dueMs !== undefined && world.atMs >= dueMs;
      if (!isDue || !listReachable(phase).includes(is)) return `an asset is ${is}, not ${phase}`;
      const untilMs = head !== undefined && "untilMs" in head ? head.untilMs : undefined;
      world.set(this.known, key, { ...rest, phase: is, dueMs: untilMs });
    }
    return undefined;
  }

  private strayPart(): string | undefined {
    const { world } = this.stage;
    const live = new Set<Key>(
      this.order
        .filter((key) => world.read(key) !== undefined)
        .flatMap((key) => [uploadPartKey(key, 1), uploadPartKey(key, 2)]),
    );
    for (const key of world.kept.keys())
      if (getCode(key) === codes.uploadPart && !live.has(key)) return "a part outlives its upload";
    return undefined;
  }
}

/** Lists the phases to which time alone leads. */
function listReachable(phase: Phase): readonly Phase[] {
  if (phase === "pending_upload") return ["abandoned", "gone"];
  return phase === "processing" ? ["failed", "gone"] : ["gone"];
}

interface Move {
  readonly refusal: string | undefined;
  readonly next: Known;
}

/** Moves an asset by the specification's table of states. */
function move(before: Known, message: AssetMessage, atMs: number): Move {
  const { phase } = before;
  const to = (phase: Phase, afterMs?: number): Move => {
    const dueMs = afterMs === undefined ? undefined : atMs + afterMs;
    return { refusal: undefined, next: { phase, attempts: 0, dueMs } };
  };
  const refuse = (refusal: string | undefined): Move => ({ refusal, next: before });
  if (phase === "gone") return refuse("not_found");
  switch (message.kind) {
    case "store_part":
      return refuse(phase === "pending_upload" ? undefined : "not_found");
    case "complete":
      if (phase !== "pending_upload") return refuse("conflict");
      if (message.refusal !== undefined) return to("failed", dayMs);
      return to("processing", (before.dueMs ?? atMs) + hourMs - atMs);
    case "abort":
      return phase === "pending_upload" ? to("abandoned", dayMs) : refuse("not_found");
    case "trash":
      if (phase === "trashed") return refuse(undefined);
      return phase === "ready" ? to("trashed", 30 * dayMs) : to("gone");
    case "restore":
      return phase === "trashed" ? to("ready") : refuse("conflict");
    case "remove":
      return to("gone");
    default:
      return phase === "processing" ? probe(before, message, to) : refuse(undefined);
  }
}

function probe(
  before: Known,
  message: AssetMessage,
  to: (phase: Phase, afterMs?: number) => Move,
): Move {
  const stay = (next: Known): Move => ({ refusal: undefined, next });
  if (message.kind === "claim") return stay({ ...before, token: message.token });
  if (!("token" in message) || message.token !== before.token) return stay(before);
  if (message.kind === "lapsed") {
    const attempts = before.attempts + 1;
    return attempts < 3 ? stay({ ...before, token: undefined, attempts }) : to("failed", dayMs);
  }
  if (message.kind !== "finished") return stay(before);
  const isMedia = message.outcome.kind === "succeeded" && message.outcome.outputs.length > 0;
  return isMedia ? to("ready") : to("failed", dayMs);
}

const output = { asset: "probe", media: { ...bytes, mimeType: "video/mp4" } };
const token = fc.constantFrom("t1", "t1", "t1", "t2");
const message: fc.Arbitrary<AssetMessage> = fc.oneof(
  fc.constantFrom(
    ...(["trash", "trash", "restore", "remove", "abort"] as const).map((kind) => ({ kind })),
    { kind: "store_part", number: 1, part: { etag: "e", sizeBytes: 1 } } as const,
    { kind: "complete", bytes, refusal: undefined } as const,
    { kind: "complete", bytes, refusal: undefined } as const,
    { kind: "complete", bytes, refusal: "no" } as const,
  ),
  token.map((token) => ({ kind: "claim", token }) as const),
  token.map((token) => ({ kind: "lapsed", token }) as const),
  fc.tuple(token, fc.nat(1)).map(([token, outputs]) => {
    const outcome = { kind: "succeeded", outputs: [output].slice(0, outputs) } as const;
    return { kind: "finished", token, outcome } as const;
  }),
);

const command: fc.Arbitrary<AssetCommand> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.nat(2), fc.boolean())
      .map(([by, isDirect]) => ({ kind: "upload", by, isDirect }) as const),
  },
  {
    weight: 10,
    arbitrary: fc
      .tuple(fc.nat(3), message)
      .map(([asset, message]) => ({ kind: "say", asset, message }) as const),
  },
  { weight: 2, arbitrary: time },
  { weight: 2, arbitrary: engine },
);

t.test("assets are what the table says in random sequences of commands", async (t) => {
  const { commands } = await checkSequences(command, () => new AssetStage());
  t.ok(commands > 8 * sequences, `${commands} commands ran`);
});

t.test("an asset that counts nothing when it goes is found", async (t) => {
  const domain = withBug(codes.asset, (turn, { kind }) =>
    kind === "remove" ? { ...turn, effects: [] } : turn,
  );
  t.ok(await find(command, () => new AssetStage(domain)));
});

t.test("an upload that is removed takes what is known of its parts along", async (t) => {
  const part = { kind: "store_part", number: 1, part: { etag: "e", sizeBytes: 1 } } as const;
  const commands: readonly AssetCommand[] = [
    { kind: "upload", by: 0, isDirect: false },
    { kind: "say", asset: 0, message: part },
    { kind: "say", asset: 0, message: { kind: "trash" } },
  ];
  t.equal(await firstBroken(commands, new AssetStage()), undefined);
});

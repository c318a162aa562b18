/** `klieg shard rebuild`: continues with what is left of a shard whose last owner is gone. */
import { parseArgs } from "node:util";
import { type Command, onlyArgument, type ShardLoss } from "../command.ts";

export const shardRebuild: Command = {
  name: "shard rebuild",
  usage: "<shard> [--accept-loss]",
  summary: "Let the stopped node own a shard although the nodes with more of its records are gone.",
  options: ["--accept-loss   give up what the command reports as lost"],
  async run(args, { settings, stoppedNode, terminal }) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { "accept-loss": { type: "boolean" } },
    });
    const shard = onlyArgument(positionals, "the shard");
    const accepts = values["accept-loss"] === true;
    const { surveyLoss } = await stoppedNode();
    const loss = await surveyLoss(settings().dataDir, shard, accepts, () =>
      terminal.say("NATS is starting or electing a leader; waiting for up to half a minute.\n"),
    );
    for (const line of describeLoss(loss)) terminal.print(line);
    terminal.say(
      accepts
        ? "The loss is accepted; start the service, and it owns the shard from then on.\n"
        : loss.isNothingLost
          ? "Nothing was changed; start the service, and the shard continues by itself.\n"
          : "Nothing was changed; use --accept-loss to give up what is lost.\n",
    );
  },
};

function describeLoss(loss: ShardLoss): string[] {
  const { shard, own, owner, log, isLogKept, others } = loss;
  const known = Math.max(own.seq, log?.seq ?? 0);
  const from = isLogKept ? known : own.seq;
  const heard = new Set(others.map(({ node }) => node));
  const silent = owner.members.filter((member) => !heard.has(member));
  const leads = isLogKept ? "lead" : "do not lead";
  return [
    `Shard ${shard}: this node has its records up to ${formatPosition(own)}, which node ${owner.node} owned.`,
    log === undefined
      ? "The log holds no record."
      : `The log ends with record ${formatPosition(log)}; this node's records ${leads} to it.`,
    ...others.map((other) => `Node ${other.node} has records up to ${formatPosition(other)}.`),
    ...(loss.isNothingLost
      ? ["Nothing is lost: no node that answered has more, and enough nodes answered."]
      : describeMissing(from, known, silent)),
  ];
}

/** `from` is the last record that is kept; records up to `known` are known to have existed. */
function describeMissing(from: number, known: number, silent: readonly string[]): string[] {
  return [
    from < known
      ? `Lost: records ${from + 1} to ${known}, and whatever came after them.`
      : `Lost: whatever came after record ${from}.`,
    `Of the nodes that may know more, apart from this one, these did not answer: ${silent.join(", ")}.`,
  ];
}

function formatPosition({ seq, epoch }: ShardLoss["own"]): string {
  return `${seq} of epoch ${epoch}`;
}

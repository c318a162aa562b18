/** `klieg shard rebuild`: continues with what is left of a shard whose last owner is gone. */
import { parseArgs } from "node:util";
import { type Command, onlyArgument, type ShardLoss } from "../command.ts";

export const shardRebuild: Command = {
  name: "shard rebuild",
  usage: "<shard> [--accept-loss]",
  summary: "Let the stopped node own a shard although the nodes with more of its records are gone.",
  options: ["--accept-loss   give up what the command says is lost"],
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
      terminal.say("NATS starts or elects a leader; waiting for it, half a minute at most.\n"),
    );
    for (const line of describeLoss(loss)) terminal.print(line);
    terminal.say(
      accepts
        ? "The loss is accepted; start the service, and it owns the shard from there.\n"
        : loss.isNothingLost
          ? "Nothing was changed; start the service, and the shard goes on by itself.\n"
          : "Nothing was changed; --accept-loss gives up what is lost.\n",
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
      : `The log ends with record ${formatPosition(log)}, to which this node's ${leads}.`,
    ...others.map((other) => `Node ${other.node} has records up to ${formatPosition(other)}.`),
    ...(loss.isNothingLost
      ? ["Nothing is lost: no node that answered has more, and enough of them did."]
      : describeMissing(from, known, silent)),
  ];
}

/** `from` is the last record that is kept; records up to `known` are known to have existed. */
function describeMissing(from: number, known: number, silent: readonly string[]): string[] {
  return [
    from < known
      ? `Lost: records ${from + 1} to ${known}, and whatever came behind them.`
      : `Lost: whatever came behind record ${from}.`,
    `Of the nodes that may know more, these did not answer, this one aside: ${silent.join(", ")}.`,
  ];
}

function formatPosition({ seq, epoch }: ShardLoss["own"]): string {
  return `${seq} of epoch ${epoch}`;
}

/** `klieg shard rebuild`: continues with what is left of a shard whose last owner is gone. */
import { parseArgs } from "node:util";
import { type Command, onlyArgument, type ShardLoss } from "../command.ts";

export const shardRebuild: Command = {
  name: "shard rebuild",
  usage: "<shard> [--accept-loss]",
  summary: "Let the stopped node own a shard although nodes with more of its records are gone.",
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
      terminal.say("NATS is starting or electing a leader; waiting up to half a minute for it.\n"),
    );
    for (const line of describeLoss(loss)) terminal.print(line);
    terminal.say(
      accepts
        ? "The loss is accepted; start the service, and it continues the shard from there.\n"
        : loss.isNothingLost
          ? "Nothing was changed; start the service, and the shard continues by itself.\n"
          : "Nothing was changed; add --accept-loss to give up what is lost.\n",
    );
  },
};

function describeLoss(loss: ShardLoss): string[] {
  const { shard, own, owner, log, isLogKept, others } = loss;
  const known = Math.max(own.seq, log?.seq ?? 0);
  const from = isLogKept ? known : own.seq;
  const heard = new Set(others.map(({ node }) => node));
  const silent = owner.members.filter((member) => !heard.has(member));
  const follows = isLogKept ? "continues" : "does not continue";
  return [
    `Shard ${shard}: this node has records up to ${formatPosition(own)}, which node ${owner.node} wrote.`,
    log === undefined
      ? "The log has no records."
      : `The log ends with record ${formatPosition(log)}, which ${follows} this node's records.`,
    ...others.map((other) => `Node ${other.node} has records up to ${formatPosition(other)}.`),
    ...(loss.isNothingLost
      ? ["Nothing is lost: none of the nodes that answered has more, and enough of them did."]
      : describeMissing(from, known, silent)),
  ];
}

/** `from` is the last record that is kept; records up to `known` are known to have existed. */
function describeMissing(from: number, known: number, silent: readonly string[]): string[] {
  return [
    from < known
      ? `Lost: records ${from + 1} to ${known}, and any that followed them.`
      : `Lost: any records that followed record ${from}.`,
    `Of the other nodes that may have more records, these did not answer: ${silent.join(", ")}.`,
  ];
}

function formatPosition({ seq, epoch }: ShardLoss["own"]): string {
  return `${seq} of epoch ${epoch}`;
}

/** `klieg node forget`: removes a node that is gone for good from the cluster. */
import { parseArgs } from "node:util";
import { type Command, onlyArgument } from "../command.ts";

export const nodeForget: Command = {
  name: "node forget",
  usage: "<node>",
  summary: "Let the stopped node's shards continue without a node that is gone for good.",
  options: [],
  async run(args, { settings, stoppedNode, terminal }) {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
    const node = onlyArgument(positionals, "the node");
    const { forget } = await stoppedNode();
    const isChanged = forget(settings().dataDir, node);
    terminal.print(
      `Node ${node} ${isChanged ? "is" : "was"} forgotten${isChanged ? "" : " before"}; start the service.`,
    );
  },
};

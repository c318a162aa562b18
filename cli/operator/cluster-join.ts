/** `klieg cluster join`: makes the store of a stopped service the first node of a cluster. */
import type { Command } from "../command.ts";

export const clusterJoin: Command = {
  name: "cluster join",
  usage: "",
  summary: "Make the stopped service's store the first node of a cluster.",
  options: [],
  async run(_, { settings, joinCluster, terminal }) {
    const { dataDir } = settings();
    const isChanged = joinCluster(dataDir);
    const belongs = isChanged ? "belongs to a cluster from now on" : "belongs to a cluster already";
    terminal.print(`The store in ${dataDir} ${belongs}; start the service with KLIEG_NATS_URL.`);
  },
};

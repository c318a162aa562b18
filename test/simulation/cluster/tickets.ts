/**
 * Tickets of customers: one that was issued opens its stream once (I10). The outcome of an attempt
 * that was not answered is open.
 */
import { accountKey } from "../../../actors/protocol/account-messages.ts";
import { ticketKey } from "../../../actors/protocol/ticket.ts";
import type { Gateway } from "../../../engine/gateway.ts";
import { type Id, partitionOfId } from "../../../engine/id.ts";
import type { SimCluster } from "./sim-cluster.ts";

interface Issued {
  readonly name: string;
  readonly scope: Id;
  /** Number of attempts to redeem the ticket, whatever came of them. */
  tries: number;
  isRedeemed: boolean;
}

/** Expiry of all tickets, which no simulation reaches. */
const expiresAtMs = 2 ** 42;

export class Tickets {
  private readonly cluster: () => SimCluster;
  private readonly issued: Issued[] = [];
  private names = 0;

  constructor(cluster: () => SimCluster) {
    this.cluster = cluster;
  }

  /** Issues a ticket, or tries to redeem one again. */
  async use(gateway: Gateway, scope: Id): Promise<void> {
    const { dice } = this.cluster();
    if (this.issued.length === 0 || dice.percent(40)) await this.issue(gateway, scope);
    else await this.redeem(gateway, dice.pick(this.issued));
  }

  private async issue(gateway: Gateway, scope: Id): Promise<void> {
    const name = String(this.names++).padStart(32, "t");
    const ticket = { scope, subject: scope, expiresAtMs };
    const message = { kind: "issue_ticket", digest: name, ticket } as const;
    const { kind } = (await gateway.ask(accountKey(scope), message, "work")) as { kind: string };
    this.cluster().note(`a client gets a ticket: ${kind}`);
    if (kind === "issued") this.issued.push({ name, scope, tries: 0, isRedeemed: false });
  }

  private async redeem(gateway: Gateway, ticket: Issued): Promise<void> {
    const { name, scope } = ticket;
    ticket.tries++;
    const key = ticketKey(partitionOfId(scope), name);
    const message = { kind: "redeem", subject: scope } as const;
    const { kind } = (await gateway.ask(key, message, "work")) as { kind: string };
    this.cluster().note(`a client redeems ${name.slice(-2)}: ${kind}`);
    if (kind === "spent" && ticket.tries === 1)
      this.cluster().fail(`ticket ${name} is spent unused`);
    if (kind !== "redeemed") return;
    if (ticket.isRedeemed) this.cluster().fail(`I10: ticket ${name} was redeemed twice`);
    ticket.isRedeemed = true;
  }
}

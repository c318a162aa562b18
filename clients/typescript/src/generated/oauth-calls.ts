/** Written by clients/generator from the published contract; do not edit it. */
import { segment, type CallOptions, type Caller } from "../caller.ts";
import type {
  ClientList,
  CreatedClient,
  OauthApproveDeviceRequest,
  OauthCreateClientRequest,
} from "./models.ts";

export class OauthCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Create an OAuth client that acts as its creator in this context. */
  createClient(
    request: OauthCreateClientRequest,
    options: CallOptions = {},
  ): Promise<CreatedClient> {
    return this.caller.json<CreatedClient>(
      { method: "POST", path: "/oauth/clients", body: request, isRepeatable: false },
      options,
    );
  }

  /** List the OAuth clients of the context. */
  listClients(options: CallOptions = {}): Promise<ClientList> {
    return this.caller.json<ClientList>(
      { method: "GET", path: "/oauth/clients", isRepeatable: true },
      options,
    );
  }

  /** Delete an OAuth client and its access tokens. */
  deleteClient(id: string, options: CallOptions = {}): Promise<undefined> {
    return this.caller.end(
      { method: "DELETE", path: `/oauth/clients/${segment(id)}`, isRepeatable: false },
      options,
    );
  }

  /** Approve or deny a device by its user code. */
  approveDevice(
    request: OauthApproveDeviceRequest,
    options: CallOptions = {},
  ): Promise<undefined> {
    return this.caller.end(
      { method: "POST", path: "/oauth/device/approve", body: request, isRepeatable: false },
      options,
    );
  }
}

import t from "tap";
import { renewalKey } from "../../actors/account/renewal.ts";
import { ledgerKey } from "../../actors/protocol/account.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import { assetKey } from "../../actors/protocol/asset.ts";
import type { Static } from "../../config/schema.ts";
import type { InvariantPage } from "../../contract/admin.ts";
import type { AssetPage } from "../../contract/asset.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";
import { foundPaidOrganization } from "./organizations.ts";

async function audit(house: InProcess, query = ""): Promise<InvariantPage> {
  return (await house.admin.get<InvariantPage>(`/v1/admin/invariants${query}`)).json;
}

t.test("GET /admin/invariants finds nothing broken, whatever jobs are doing", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 100 });
  await ada.job("kite", { num_images: 4 });
  await ada.job("fails sim:fail");
  const { id } = await ada.job("slow sim:slow=60000");
  await ada.job("slower sim:slow=90000");
  await house.settle();
  await ada.cancel(id);
  await foundPaidOrganization(house, ada);
  const { accounts, jobs, items, moving, next_cursor: next } = await audit(house);
  t.strictSame({ accounts, jobs, items, moving, next }, expect(3, 4));
  await house.advance(120_000);
  t.strictSame((await audit(house)).items, []);
});

function expect(accounts: number, jobs: number) {
  return { accounts, jobs, items: [], moving: [], next: null };
}

t.test("GET /admin/invariants names the account, the invariant and the figures", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 100 });
  await ada.job("kite");
  await house.settle();
  await ada.get("/v1/jobs");
  const [asset] = (await ada.get<Static<typeof AssetPage>>("/v1/assets")).json.items;
  await house.engine.accountTables.write([
    [assetKey(ada.id, asset?.id ?? ""), undefined],
    [ledgerKey(accountKey(ada.id), 1), undefined],
    [renewalKey(accountKey(ada.id), Date.UTC(2026, 4, 1)), undefined],
  ]);
  const { items } = await audit(house);
  t.ok(items.every(({ account_id: account }) => account === ada.id));
  t.strictSame(
    items.map(({ invariant, expected, found }) => [invariant, expected, found]),
    [
      ["ledger_chain", 101, 100],
      ["hold_resolved_once", 0, 1],
      ["ledger_length", 2, 3],
      ["held", -1, 0],
      ["asset_counts", 0, 1],
      ["renewal_awaited", 1, 0],
    ],
  );
  t.match(items[2]?.detail, "Rows in the ledger: 2 expected, 3 found.");
});

t.test("GET /admin/invariants comes in pages, users before organizations", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  await house.account();
  await foundPaidOrganization(house, ada);
  let [accounts, pages, cursor] = [0, 0, ""];
  do {
    const page = await audit(house, `?limit=1${cursor}`);
    accounts += page.accounts;
    pages++;
    cursor = page.next_cursor == null ? "" : `&cursor=${page.next_cursor}`;
  } while (cursor !== "");
  t.strictSame([accounts, pages], [4, 4]);
  t.equal((await ada.get("/v1/admin/invariants")).status, 403);
});

/** All accounts: creates them, and changes their plans, status and credits. */
import type {
  AdminAccount,
  AdminAccountPage,
  CreatedAccount,
} from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { count, credits, day, words } from "../format.ts";
import { attempt } from "../notices.ts";
import { Copy } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { More } from "../parts/more.tsx";
import { RequestView } from "../parts/shown.tsx";
import { Status } from "../parts/status.tsx";
import { klieg } from "../session.ts";
import { useState } from "../view.ts";

const pageSize = 50;
const plans = ["free", "starter", "pro", "studio", "team", "enterprise"] as const;
type Plan = (typeof plans)[number];

export function Accounts() {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<AdminAccount>();
  const { asked, again } = useAsked(
    (signal) => klieg.value.admin.accounts({ limit: pageSize }, { signal }),
    [],
  );
  return (
    <div class="view">
      <header class="view-head">
        <h1>Accounts</h1>
        {asked.phase === "ready" && <p class="hint">{count(asked.value.total)} in all</p>}
        <div class="actions">
          <button type="button" onClick={() => setOpen(true)}>
            <Icon name="plus" />
            New account
          </button>
        </div>
      </header>
      <RequestView asked={asked} again={again}>
        {(page) => <Rows key={page.items[0]?.id} page={page} choose={setChosen} />}
      </RequestView>
      {isOpen && (
        <Dialog title="New account" onClose={() => setOpen(false)}>
          <NewAccount done={again} />
        </Dialog>
      )}
      {chosen !== undefined && (
        <Dialog title={chosen.email} onClose={() => setChosen(undefined)}>
          <Change
            account={chosen}
            done={() => {
              setChosen(undefined);
              again();
            }}
          />
        </Dialog>
      )}
    </div>
  );
}

interface RowsProps {
  page: AdminAccountPage;
  choose: (account: AdminAccount) => void;
}

function Rows({ page, choose }: RowsProps) {
  const [older, setOlder] = useState<readonly AdminAccount[]>([]);
  const [cursor, setCursor] = useState(page.next_cursor);
  const more = async () => {
    const next = await klieg.value.admin.accounts({ limit: pageSize, cursor: cursor ?? undefined });
    setOlder([...older, ...next.items]);
    setCursor(next.next_cursor);
  };
  return (
    <>
      <div class="list card">
        {[...page.items, ...older].map((account) => (
          <div key={account.id} class="line">
            <div class="line-main">
              <p class="row-title">{account.email}</p>
              <p class="hint">
                {words(account.plan)} · since {day(account.created_at)}
                {typeof account.balance_credits === "number" &&
                  ` · ${credits(account.balance_credits)}`}
              </p>
            </div>
            <Status of={account.status} />
            <button type="button" class="plain small" data-row onClick={() => choose(account)}>
              Change
            </button>
          </div>
        ))}
      </div>
      <More hasMore={typeof cursor === "string"} more={more} />
    </>
  );
}

function Plans({ plan, set }: { plan: Plan; set: (plan: Plan) => void }) {
  return (
    <Field id="account-plan" label="Plan">
      <select
        id="account-plan"
        value={plan}
        onChange={(event) => set(plans.find((one) => one === event.currentTarget.value) ?? plan)}
      >
        {plans.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </Field>
  );
}

function NewAccount({ done }: { done: () => void }) {
  const [email, setEmail] = useState("");
  const [plan, setPlan] = useState<Plan>("free");
  const [made, setMade] = useState<CreatedAccount>();
  const create = () =>
    attempt(async () => {
      setMade(await klieg.value.admin.createAccount({ email, plan, issue_token: true }));
      done();
    }, "Created");
  if (made?.token !== undefined)
    return (
      <div class="made-link" role="status">
        <code>{made.token}</code>
        <Copy text={made.token} label="Copy the token" />
        <p class="hint">For {made.email}. It is shown only this once.</p>
      </div>
    );
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        create();
      }}
    >
      <Field id="account-email" label="Address">
        <input
          id="account-email"
          type="email"
          required
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
      </Field>
      <Plans plan={plan} set={setPlan} />
      <button type="submit">Create with a token</button>
    </form>
  );
}

function Change({ account, done }: { account: AdminAccount; done: () => void }) {
  const [plan, setPlan] = useState<Plan>(account.plan);
  const [amount, setAmount] = useState("");
  const { admin } = klieg.value;
  const isSuspended = account.status === "suspended";
  const save = () =>
    attempt(async () => {
      if (plan !== account.plan) await admin.updateAccount(account.id, { plan });
      if (amount !== "") await admin.giveCredits(account.id, { amount: Number(amount) });
      done();
    }, "Changed");
  const suspend = () =>
    attempt(async () => {
      await admin.updateAccount(account.id, { status: isSuspended ? "active" : "suspended" });
      done();
    }, "Changed");
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Plans plan={plan} set={setPlan} />
      <Field
        id="account-credits"
        label="Credits to give"
        hint="Negative amounts take credits back."
      >
        <input
          id="account-credits"
          type="number"
          step={1}
          value={amount}
          onInput={(event) => setAmount(event.currentTarget.value)}
        />
      </Field>
      <div class="actions dialog-actions">
        <button type="button" class="danger" onClick={suspend}>
          {isSuspended ? "Reactivate" : "Suspend"}
        </button>
        <button type="submit">Save</button>
      </div>
    </form>
  );
}

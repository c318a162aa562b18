/** The playground: a model, a form for its fields, its price, and the results. */
import type { Model } from "../../clients/typescript/src/generated/models.ts";
import { KliegError } from "../../clients/typescript/src/klieg.ts";
import { useAsked } from "../asked.ts";
import { credits } from "../format.ts";
import { notice, refuse } from "../notices.ts";
import { Icon } from "../parts/icon.tsx";
import { Empty, RequestView } from "../parts/shown.tsx";
import { klieg, may, refreshMe } from "../session.ts";
import { useEffect, useState } from "../view.ts";
import type { Body } from "./body.ts";
import { Code } from "./code.tsx";
import {
  buildBody,
  choose,
  chooseModel,
  fillFromAddress,
  kind,
  kindName,
  listLacking,
} from "./draft.ts";
import { Examples } from "./examples.tsx";
import { listFields } from "./fields.ts";
import { Input } from "./inputs.tsx";
import { isOfKind, type Kind, kinds, type Submitted } from "./kinds.ts";
import { computePrice } from "./price.ts";
import { getConfirmation, type Quote, useQuote } from "./quote.ts";
import { Recent } from "./recent.tsx";
import { addRun, Runs, runs } from "./runs.tsx";

export function Create() {
  const { asked, again } = useAsked((signal) => klieg.value.models.list({}, { signal }), []);
  return (
    <div class="view">
      <h1 class="unseen">Create</h1>
      <RequestView asked={asked} again={again}>
        {({ items }) => <Playground models={items} />}
      </RequestView>
    </div>
  );
}

function Playground({ models }: { models: readonly Model[] }) {
  useEffect(() => fillFromAddress(models), [models]);
  const [turn, setTurn] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const of = kind.value;
  const model = chooseModel(models, of);
  const body = model === undefined ? undefined : buildBody(model, of);
  const lacking = model === undefined ? [] : listLacking(model, of);
  const quote = useQuote(of, body, model !== undefined && lacking.length === 0, turn);
  const send = (confirmation?: string) => {
    const now = chooseModel(models, kind.value);
    if (now === undefined || isBusy) return;
    setBusy(true);
    void submit(kind.value, buildBody(now, kind.value), confirmation).finally(() => {
      setBusy(false);
      setTurn((old) => old + 1);
    });
  };
  return (
    <div class="playground">
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          send(getConfirmation(quote));
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
            event.currentTarget.requestSubmit();
        }}
      >
        <Kinds models={models} />
        {model === undefined ? (
          <Empty icon="cube" title="No model here can make this">
            <p>An operator adds models by a provider.</p>
            <a class="button plain" href="/docs/providers">
              How to add models
            </a>
          </Empty>
        ) : (
          <>
            <Models models={models.filter((one) => isOfKind(one, of))} chosen={model} of={of} />
            <Fields model={model} of={of} />
            <Bill quote={quote} isBusy={isBusy} />
          </>
        )}
      </form>
      <section class="made" aria-label="Results">
        {runs.value.length === 0 && may("generate") && (
          <Examples models={models} start={() => send()} />
        )}
        <Runs />
        {runs.value.length === 0 && may("jobs:read") && <Recent />}
        {body !== undefined && <Code kind={of} body={body} />}
      </section>
    </div>
  );
}

async function submit(of: Kind, body: Body, confirmation: string | undefined): Promise<void> {
  const token = confirmation === undefined ? {} : { confirmation_token: confirmation };
  try {
    showStarted(await of.submit(klieg.value, { ...body, ...token }));
  } catch (error) {
    if (error instanceof KliegError && error.code === "confirmation_rejected")
      notice("The price has changed. Check it and send again.", "refused");
    else refuse(error);
  }
}

function showStarted({ jobIds, refusals }: Submitted): void {
  for (const id of jobIds.toReversed()) addRun(id);
  for (const refusal of refusals) notice(refusal, "refused");
  void refreshMe();
}

function Kinds({ models }: { models: readonly Model[] }) {
  return (
    <fieldset class="tabs kinds">
      <legend class="unseen">What to make</legend>
      {kinds
        .filter((one) => models.some((model) => isOfKind(model, one)))
        .map((one) => (
          <label key={one.name} class={one.name === kindName.value ? "on" : ""}>
            <input
              class="unseen"
              type="radio"
              name="kind"
              checked={one.name === kindName.value}
              onChange={() => {
                kindName.value = one.name;
              }}
            />
            <Icon name={one.icon} />
            {one.title}
          </label>
        ))}
    </fieldset>
  );
}

function Models(props: { models: readonly Model[]; chosen: Model; of: Kind }) {
  const { models, chosen, of } = props;
  return (
    <div class="field">
      <label for="model">Model</label>
      <select
        id="model"
        value={chosen.id}
        onChange={(event) => choose(of, event.currentTarget.value)}
      >
        {models.map((model) => (
          <option key={model.id} value={model.id}>
            {model.display_name} · {computePrice(model)}
          </option>
        ))}
      </select>
      <p class="hint">{chosen.description}</p>
      {chosen.availability !== "up" && (
        <p class="wrong">
          {chosen.availability === "down"
            ? "Its provider is down; jobs will wait."
            : "It is slow at the moment."}
        </p>
      )}
    </div>
  );
}

/** Number of fields that are always visible; the others can be expanded. */
const firstFields = 4;

function Fields({ model, of }: { model: Model; of: Kind }) {
  const fields = listFields(model, of);
  const [first, more] = [fields.slice(0, firstFields), fields.slice(firstFields)];
  return (
    <>
      {first.map((field) => (
        <Input key={field.name} field={field} />
      ))}
      {more.length > 0 && (
        <details class="more">
          <summary>More settings</summary>
          {more.map((field) => (
            <Input key={field.name} field={field} />
          ))}
        </details>
      )}
    </>
  );
}

function Bill({ quote, isBusy }: { quote: Quote; isBusy: boolean }) {
  const asked = quote.phase === "asked" ? quote.quote : undefined;
  return (
    <div class="bill">
      <div class="bill-words" aria-live="polite">
        {asked !== undefined && (
          <>
            <p class="amount">{credits(asked.credits)}</p>
            <p class={asked.sufficient_credits ? "hint" : "wrong"}>
              {asked.sufficient_credits ? computeRemainder(asked) : "Not enough credits"}
            </p>
          </>
        )}
        {quote.phase === "wrong" && <p class="wrong">{quote.detail}</p>}
        {quote.phase === "none" && <p class="hint">The price appears here.</p>}
      </div>
      <button type="submit" disabled={isBusy || !may("generate")}>
        <Icon name="create" />
        Generate
      </button>
    </div>
  );
}

function computeRemainder({
  balance_credits: balance,
  credits: price,
}: {
  balance_credits?: number | null;
  credits: number;
}) {
  return typeof balance === "number" ? `${credits(balance - price)} left then` : "";
}

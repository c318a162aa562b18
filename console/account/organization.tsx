/** The account's organizations; members, roles and budgets of the selected one. */
import type {
  Member,
  MemberBudget,
  Organization,
} from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { count, credits, words } from "../format.ts";
import { attempt } from "../notices.ts";
import { Field } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Empty, RequestView } from "../parts/shown.tsx";
import { klieg, me, refreshMe } from "../session.ts";
import { useState } from "../view.ts";

type Role = Member["role"];
const roles: readonly Role[] = ["owner", "admin", "member", "viewer", "billing_contact"];

export function OrganizationView() {
  const active = me.value?.active_organization?.id;
  const { asked, again } = useAsked(
    (signal) => klieg.value.organizations.list({ signal }),
    [active],
  );
  return (
    <div class="stack">
      <RequestView asked={asked} again={again}>
        {({ items }) => <Contexts items={items} active={active} again={again} />}
      </RequestView>
      {active !== undefined && <Members key={active} id={active} />}
    </div>
  );
}

interface ContextsProps {
  items: readonly Organization[];
  active: string | undefined;
  again: () => void;
}

function Contexts({ items, active, again }: ContextsProps) {
  const choose = (id: string | null) =>
    attempt(async () => {
      await klieg.value.organizations.activate({ organization_id: id });
      await refreshMe();
      again();
    });
  return (
    <section class="card panel">
      <h2>You act for</h2>
      <div class="tabs contexts">
        <Context title="Yourself" isOn={active === undefined} choose={() => choose(null)} />
        {items.map(({ id, name, role }) => (
          <Context
            key={id}
            title={`${name} (${words(role).toLowerCase()})`}
            isOn={active === id}
            choose={() => choose(id)}
          />
        ))}
      </div>
      <NewOrganization done={again} />
    </section>
  );
}

function Context(props: { title: string; isOn: boolean; choose: () => void }) {
  return (
    <label class={props.isOn ? "on" : ""}>
      <input
        class="unseen"
        type="radio"
        name="context"
        checked={props.isOn}
        onChange={props.choose}
      />
      {props.title}
    </label>
  );
}

function NewOrganization({ done }: { done: () => void }) {
  const [name, setName] = useState("");
  return (
    <form
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        attempt(async () => {
          await klieg.value.organizations.create({ name });
          setName("");
          done();
        }, "Created");
      }}
    >
      <Field id="organization-name" label="A new organization">
        <input
          id="organization-name"
          required
          maxLength={100}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </Field>
      <button type="submit" class="plain">
        Create
      </button>
    </form>
  );
}

function Members({ id }: { id: string }) {
  const { asked, again } = useAsked(
    (signal) => klieg.value.organizations.members(id, { signal }),
    [id],
  );
  const role = me.value?.role;
  const mayChange = role === "owner" || role === "admin";
  return (
    <section class="card panel">
      <h2>Members</h2>
      <RequestView asked={asked} again={again}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="people" title="No members" />
          ) : (
            <ul class="plain-list">
              {items.map((member) => (
                <Person
                  key={member.user_id}
                  id={id}
                  member={member}
                  mayChange={mayChange}
                  again={again}
                />
              ))}
            </ul>
          )
        }
      </RequestView>
      {mayChange && <NewMember id={id} done={again} />}
    </section>
  );
}

interface PersonProps {
  id: string;
  member: Member;
  mayChange: boolean;
  again: () => void;
}

function Person({ id, member, mayChange, again }: PersonProps) {
  const { organizations } = klieg.value;
  const { user_id: user, role, budget } = member;
  const change = (next: Role) =>
    attempt(async () => {
      await organizations.updateMember(id, user, { role: next });
      again();
    }, "Changed");
  const remove = () =>
    attempt(async () => {
      await organizations.removeMember(id, user);
      again();
    }, "Removed");
  return (
    <li class="line">
      <div class="line-main">
        <p class="row-title">{member.display_name || member.email}</p>
        <p class="hint">
          {member.email}
          {budget && ` · ${budgetWords(budget)}`}
        </p>
      </div>
      {mayChange ? (
        <>
          <Roles role={role} change={change} label={`Role of ${member.email}`} />
          <button type="button" class="danger small" onClick={remove}>
            Remove
          </button>
        </>
      ) : (
        <span class="badge">{words(role)}</span>
      )}
    </li>
  );
}

function budgetWords({ used_credits, limit_credits, period }: MemberBudget): string {
  const end = period === "month" ? "this month" : "in all";
  return `${count(used_credits)} of ${credits(limit_credits)} ${end}`;
}

function Roles(props: { role: Role; change: (role: Role) => void; label: string }) {
  return (
    <select
      class="narrow"
      aria-label={props.label}
      value={props.role}
      onChange={(event) => {
        const next = roles.find((role) => role === event.currentTarget.value);
        if (next !== undefined) props.change(next);
      }}
    >
      {roles.map((role) => (
        <option key={role} value={role}>
          {words(role)}
        </option>
      ))}
    </select>
  );
}

function NewMember({ id, done }: { id: string; done: () => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("member");
  return (
    <form
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        attempt(async () => {
          await klieg.value.organizations.addMember(id, { email, role });
          setEmail("");
          done();
        }, "Added");
      }}
    >
      <Field id="member-email" label="New member's email address">
        <input
          id="member-email"
          type="email"
          required
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
      </Field>
      <Roles role={role} change={setRole} label="New member's role" />
      <button type="submit" class="plain">
        <Icon name="plus" />
        Add
      </button>
    </form>
  );
}

/** The audit log: who changed what, newest first. */
import type { AuditEntry, AuditPage } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { moment } from "../format.ts";
import { More } from "../parts/more.tsx";
import { Empty, RequestView } from "../parts/shown.tsx";
import { klieg } from "../session.ts";
import { useState } from "../view.ts";

const pageSize = 50;

export function Audit() {
  const { asked, again } = useAsked(
    (signal) => klieg.value.admin.audit({ limit: pageSize }, { signal }),
    [],
  );
  return (
    <div class="view">
      <header class="view-head">
        <h1>Audit</h1>
      </header>
      <RequestView asked={asked} again={again}>
        {(page) => <Entries page={page} />}
      </RequestView>
    </div>
  );
}

function Entries({ page }: { page: AuditPage }) {
  const [items, setItems] = useState<readonly AuditEntry[]>(page.items);
  const [cursor, setCursor] = useState(page.next_cursor);
  const more = async () => {
    const next = await klieg.value.admin.audit({ limit: pageSize, cursor: cursor ?? undefined });
    setItems([...items, ...next.items]);
    setCursor(next.next_cursor);
  };
  if (items.length === 0)
    return (
      <Empty icon="audit" title="Nothing has been changed yet">
        <p>What operators and members change is listed here: who, what, when and from where.</p>
      </Empty>
    );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <div class="card scroll" tabIndex={0}>
        <table class="table audit">
          <thead>
            <tr>
              <th>When</th>
              <th>Who</th>
              <th>What</th>
              <th>Of</th>
              <th>From</th>
            </tr>
          </thead>
          <tbody>
            {items.map(({ id, at, actor, action, target, address }) => (
              <tr key={id}>
                <td class="when">{moment(at)}</td>
                <td>{actor}</td>
                <td>{action}</td>
                <td class="grow">{target}</td>
                <td>{address}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More hasMore={typeof cursor === "string"} more={more} />
    </>
  );
}

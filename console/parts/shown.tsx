/** The states that are common to all views: loading, empty, failed, forbidden. */
import type { Asked, Fault } from "../asked.ts";
import { at } from "../place.ts";
import type { ComponentChildren } from "../view.ts";
import { Icon, type IconName } from "./icon.tsx";

interface ShownProps<T> {
  asked: Asked<T>;
  again?: () => void;
  /** Placeholder that is shown while the value is loading. */
  skeleton?: ComponentChildren;
  children: (value: T) => ComponentChildren;
}

export function RequestView<T>({ asked, again, skeleton, children }: ShownProps<T>) {
  if (asked.phase === "ready") return <>{children(asked.value)}</>;
  if (asked.phase === "failed") return <FailureNotice fault={asked.fault} again={again} />;
  return <>{skeleton ?? <Rows count={5} />}</>;
}

export function FailureNotice({
  fault,
  again,
}: {
  fault: Fault;
  again?: (() => void) | undefined;
}) {
  if (fault.isUnknown)
    return (
      <Empty icon="search" title="Nothing here">
        <p>It may have been deleted, or belongs to another account.</p>
        <a class="button plain" href={at("")}>
          To the start
        </a>
      </Empty>
    );
  return (
    <div class="state" role="alert">
      <Icon name={fault.isForbidden ? "close" : "failures"} size={28} />
      <h2>{fault.isForbidden ? "This token has no access" : fault.title}</h2>
      <p>{fault.detail}</p>
      {fault.requestId !== undefined && <code>{fault.requestId}</code>}
      {again !== undefined && !fault.isForbidden && (
        <button type="button" class="plain" onClick={again}>
          <Icon name="repeat" />
          Try again
        </button>
      )}
    </div>
  );
}

interface EmptyProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}

export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="state">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Rows({ count }: { count: number }) {
  return (
    <div class="rows" role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, at) => (
        <div key={at} class="skeleton" />
      ))}
    </div>
  );
}

export function Tiles({ count }: { count: number }) {
  return (
    <div class="gallery" role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, at) => (
        <div key={at} class="skeleton tile" />
      ))}
    </div>
  );
}

import type { ComponentChildren } from "../view.ts";

interface FactsProps {
  /** Facts to show; those without a value are left out. */
  facts: readonly (readonly [label: string, value: ComponentChildren])[];
}

export function Facts({ facts }: FactsProps) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== null && value !== "")
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

import type { ComponentChildren } from "../view.ts";
import { useEffect, useRef } from "../view.ts";
import { Icon } from "./icon.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  isWide?: boolean;
}

/** A dialog that is open while it is rendered. Escape and a click outside close it. */
export function Dialog({ title, onClose, children, isWide = false }: DialogProps) {
  const own = useRef<HTMLDialogElement>(null);
  useEffect(() => own.current?.showModal(), []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does what a press beside it does.
    <dialog
      ref={own}
      class={isWide ? "wide" : ""}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === own.current) own.current?.close();
      }}
    >
      <div class="dialog-head">
        <h2>{title}</h2>
        <button
          type="button"
          class="bare icon-only"
          aria-label="Close"
          onClick={() => own.current?.close()}
        >
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  );
}

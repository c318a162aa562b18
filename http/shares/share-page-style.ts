/** The look of share pages: small enough to stand in the page, in the system's light or dark. */
export const shareStyle = `
:root { color-scheme: light dark; --paper: #f7f5f1; --card: #fff; --ink: #1d1b19; --quiet: #6d6862;
  --line: #e3dfd8; --accent: #a8421b; --on-accent: #fff }
@media (prefers-color-scheme: dark) { :root { --paper: #131211; --card: #1d1b1a; --ink: #f2efea;
  --quiet: #a39d94; --line: #302d2a; --accent: #ff9d70; --on-accent: #1d1108 } }
* { box-sizing: border-box }
[hidden] { display: none !important }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column;
  font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
main { flex: 1; width: 100%; max-width: 68rem; margin: 0 auto; display: flex;
  flex-direction: column; justify-content: center; padding: 2rem 1.25rem }
h1 { font-size: 1.375rem; line-height: 1.3; font-weight: 650; margin: 0; overflow-wrap: anywhere }
p { margin: 0 }
.piece { width: 100%; min-width: min(100%, 17rem); margin: 0 auto }
.stage { position: relative; display: grid; place-items: center; overflow: hidden;
  border-radius: .875rem; background: #000; box-shadow: 0 1px 2px #0002, 0 12px 32px #0002 }
.stage video, .stage img { display: block; max-width: 100%; max-height: 76vh }
.stage.sound { background: none; box-shadow: none; border-radius: 0; gap: 1.5rem }
.stage.sound img { width: min(100%, 20rem); border-radius: .875rem }
.stage audio { display: block; width: 100% }
.stage.model { background: var(--card); aspect-ratio: 4 / 3; max-height: 76vh; width: 100% }
.stage.model canvas { position: absolute; inset: 0; width: 100%; height: 100%; cursor: grab }
.stage.model canvas:active { cursor: grabbing }
.stage.model > p { position: absolute; bottom: 1rem; left: 1rem; right: 1rem; text-align: center;
  color: var(--quiet) }
.stage.file { background: var(--card); padding: 3.5rem 1rem; color: var(--quiet) }
.view-only img { pointer-events: none; user-select: none; -webkit-user-select: none;
  -webkit-touch-callout: none }
.view-only video { -webkit-touch-callout: none }
@media (hover: hover) and (pointer: fine) { .stage.film.view-only::after { content: "";
  position: absolute; inset: 0 0 5rem } }
.about { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem 1.5rem;
  margin-top: 1.25rem }
.about > div { flex: 1 1 12rem; min-width: 0 }
.facts { color: var(--quiet); font-size: .9375rem }
.button, button { display: inline-block; font: inherit; font-weight: 600; line-height: 1.25;
  padding: .6875rem 1.25rem; border: 0; border-radius: .625rem; text-decoration: none;
  color: var(--on-accent); background: var(--accent); cursor: pointer }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.card { width: 100%; max-width: 25rem; margin: 0 auto; padding: 2rem 1.75rem;
  border: 1px solid var(--line); border-radius: 1rem; background: var(--card) }
.card p { margin-top: .5rem; color: var(--quiet) }
.card form { margin-top: 1.25rem }
.card label { display: block; font-weight: 600; margin-bottom: .375rem }
.card input { font: inherit; width: 100%; padding: .625rem .75rem; border: 1px solid var(--line);
  border-radius: .625rem; color: inherit; background: var(--paper) }
.card button { width: 100%; margin-top: .875rem }
.card .wrong { color: var(--accent); font-weight: 600 }
footer { padding: 0 1.25rem 1.25rem; text-align: center; font-size: .8125rem;
  color: var(--quiet) }
`;

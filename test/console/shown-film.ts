/// <reference lib="dom" />
/** Opens a folder's film in `klieg preview` and shows it frame by frame. */
import type { Test } from "tap";
import type { Page } from "../../render-farm/browser/browser.ts";
import { startPreview } from "../cli/preview-process.ts";
import { type Pixels, readPng } from "../render-farm/png.ts";
import { openPage } from "./console-page.ts";

export interface ShownFilm {
  readonly page: Page;
  /** Returns the picture of a frame, at the size at which the page shows it. */
  show(frame: number): Promise<Pixels>;
  warnings(): Promise<readonly string[]>;
}

/** Opens a film; resolves when it is ready. */
export async function openFilm(t: Test, folder: string): Promise<ShownFilm> {
  const { url = "" } = await startPreview(t, folder);
  const { page } = await openPage(t);
  await page.goto(url);
  await page.locator("iframe[data-ready=true]").waitFor();
  return {
    page,
    async show(frame) {
      await page.getByRole("slider", { name: "Frame" }).fill(String(frame));
      await page.getByText(new RegExp(`frame ${frame}$`)).waitFor();
      return readPng(await page.locator(".player .screen").screenshot());
    },
    warnings: () => page.locator(".player ul.hint li").allTextContents(),
  };
}

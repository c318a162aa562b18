import { parseArgs } from "node:util";
import { type Command, onlyArgument, optionLine, wholeNumber } from "./command.ts";

export const enhancePrompt: Command = {
  name: "enhance-prompt",
  usage: '"<prompt>" [options]',
  summary: "Rewrite a video prompt for its model; costs 1 credit.",
  options: [
    optionLine("--model VALUE", "the video model (default)"),
    optionLine("--duration-seconds VALUE", "length of the video"),
    optionLine("--aspect-ratio VALUE", "for example 16:9, 9:16"),
    optionLine("--json", "print the whole answer as JSON"),
  ],
  async run(args, session) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        model: { type: "string", default: "default" },
        "duration-seconds": { type: "string" },
        "aspect-ratio": { type: "string" },
        json: { type: "boolean", default: false },
      },
    });
    const enhanced = await (await session.client()).generate.enhancePrompt({
      prompt: onlyArgument(positionals, "the prompt"),
      model: values.model,
      duration_seconds: wholeNumber(values["duration-seconds"], "--duration-seconds"),
      aspect_ratio: values["aspect-ratio"],
    });
    session.terminal.print(values.json ? JSON.stringify(enhanced) : enhanced.prompt);
  },
};

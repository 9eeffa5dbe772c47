// The guides in docs/guides, which the tests follow.
import { readFileSync } from "node:fs";

/** Returns the fenced blocks of a guide: language, path of the file that it shows, and text. */
export function blocksOf(name) {
  const text = readFileSync(new URL(`../../docs/guides/${name}.md`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)];
  return blocks.map(([, language, path, code]) => ({ language, path, code }));
}

/** Returns the shell commands of a guide, one string per block. */
export const commandsOf = (name) => blocksOf(name).filter(({ language }) => language === "sh").map(({ code }) => code.trim());

/** Returns the files that a guide shows: their paths in the app, and their text. */
export const filesOf = (name) => blocksOf(name).filter(({ path }) => path).map(({ path, code }) => [path.split("/").slice(2).join("/"), code]);

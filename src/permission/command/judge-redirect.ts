// Redirections: to /dev/null and between descriptors they do nothing; every other one is a part of its own.

import { asks, danger, type Finding, opaque, readonly, strictest } from "./finding.js";
import type { Judge, Where } from "./judge.js";
import type { Redirect } from "./script.js";

export function judgeRedirect(judge: Judge, redirect: Redirect, where: Where): void {
  const found = finding(judge, redirect, where);
  if (!found) return;
  const { operator, target, isText } = redirect;
  judge.add(isText ? [operator] : [operator, target.text], target.literal, found, where);
}

function finding(judge: Judge, { operator, target, isText }: Redirect, where: Where): Finding | null {
  if (target.dynamic.some(({ kind }) => kind === "opaque" || kind === "substitution"))
    return isText
      ? opaque("redirect", "Its text is worked out by a command.")
      : opaque("redirect:unknown", "Its place is worked out by a command.");
  if (isText) return target.literal ? null : asks("redirect", "The shell puts something into the text.");
  const symbol = operator.replace(/^\d+/, "");
  if (/^[<>]&$/.test(symbol) && /^\d$/.test(target.text) && target.literal)
    return /^[12]?>&[12]$/.test(operator + target.text) ? null : asks("redirect", "It moves a descriptor.");
  if (/^([<>]&-)$/.test(symbol) || (/^[<>]&$/.test(symbol) && target.text === "-"))
    return asks("redirect", "It closes a descriptor.");
  if (/^\/dev\/(tcp|udp)\//.test(target.text)) return danger("redirect:network", "It is a connection to the network.");
  const isNull = target.literal && target.text === "/dev/null";
  if (isNull && /^(\d?>>?|0?<|&>>?)$/.test(operator))
    return /^[3-9]/.test(operator) ? asks("redirect", "It opens a descriptor.") : null;
  if (target.literal && /^\/dev\/std(out|err)$/.test(target.text)) return asks("redirect", "It moves a descriptor.");
  const around = judge.around(where);
  if (symbol === "<") {
    return (
      strictest(
        [
          around.wordAlarm(target),
          around.readFinding(target, { whole: true }),
          target.literal && operator === "<"
            ? readonly("redirect", `It reads ${target.text}.`)
            : asks("redirect", `It reads ${target.text}.`),
        ].filter((each) => each !== null),
      ) ?? null
    );
  }
  if (!target.literal && !/^~\//.test(target.text)) return opaque("redirect:unknown", "Where it writes is not known.");
  return (
    strictest(
      [around.writeFinding(target), around.wordAlarm(target), asks("redirect", `It writes ${target.text}.`)].filter(
        (each) => each !== null,
      ),
    ) ?? null
  );
}

// The tokens of a Markdown text, by `marked`, whatever the text is.
// Invariants: blocks are nested to a limit, and text whose marks would take the parser far longer than its length is not
// searched for them; either is shown as it was written. No other text gets other tokens.

import { Lexer, type Token } from "marked";

/** Quotes and lists in each other. */
const deepest = 20;
/** The parser looks from each mark on to the end of its paragraph: marks times characters that it may do that for. */
const mostWork = 4_000_000;

class BoundedLexer extends Lexer {
  #depth = 0;

  override blockTokens(text: string, tokens: Token[] = [], isLastParagraphClipped?: boolean): never {
    if (this.#depth >= deepest) return asWritten(text, tokens) as never;
    this.#depth++;
    try {
      return super.blockTokens(text, tokens as never, isLastParagraphClipped) as never;
    } finally {
      this.#depth--;
    }
  }

  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    const marks = text.length * text.length > mostWork ? (text.match(/[*_[\]~`<!&\\:@.]/g)?.length ?? 0) : 0;
    return marks * text.length > mostWork ? asWritten(text, tokens) : super.inlineTokens(text, tokens);
  }
}

function asWritten(text: string, tokens: Token[]): Token[] {
  tokens.push({ type: "text", raw: text, text });
  return tokens;
}

export function markdownTokens(text: string): Token[] {
  return new BoundedLexer().lex(text);
}

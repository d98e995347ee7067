const CODE = /_x([\dA-F]{4})_/gi

/** A text of a sheet without the codes of letters that XML can't hold, as in `_x000D_`. */
export function plainText(text: string): string {
  return text.includes('_x')
    ? text.replace(CODE, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text
}

/** A copy: a part of a long text would keep all of it in memory. */
export function ownCopy(text: string): string {
  return text.length > 12 ? Buffer.from(text, 'utf16le').toString('utf16le') : text
}

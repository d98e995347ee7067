/* Code blocks, tables and links of the README and the pages of docs/. */
import { readdirSync, readFileSync } from 'node:fs'
import app from '@adonisjs/core/services/app'

const NO_RUN = 'no-run'
const FENCED = /^( *)```(\w+)(?: ([^\n]*))?\n(.*?)^ *```$/gms

export interface Block {
  /** Path of the page, as in `docs/events.md` */
  page: string
  /** Line of the fence, counted from 1 */
  line: number
  language: string
  /** Path of the file that the block shows, if any */
  path: string | undefined
  /** True if the block is appended to that file */
  isAppended: boolean
  /** Reason why the block is not run; undefined if it is run */
  reason: string | undefined
  text: string
}

/** All pages: the README, the pages in the order of the table of contents, then the others. */
export function pages(): string[] {
  const all = readdirSync(app.makePath('docs')).filter((name) => name.endsWith('.md'))
  const contents = linksOf('docs/README.md').map(({ target }) => target)
  const listed = contents.filter((name) => all.includes(name))
  const ordered = ['README.md', ...listed, ...all.toSorted()]
  return ['README.md', ...new Set(ordered.map((name) => `docs/${name}`))]
}

export function readPage(page: string): string {
  return readFileSync(app.makePath(page), 'utf8')
}

/**
 * Fenced blocks of a page. A fence has the language, then `no-run: REASON`, the path of a file, or
 * `append PATH`.
 */
export function blocksOf(page: string): Block[] {
  const text = readPage(page)
  return [...text.matchAll(FENCED)].map((match) => {
    const [, indent, language, info = '', content] = match
    const isAppended = info.startsWith('append ')
    const isRun = !info.startsWith(NO_RUN)
    return {
      page,
      line: text.slice(0, match.index).split('\n').length,
      language,
      path: isRun && info ? info.replace(/^append /, '') : undefined,
      isAppended,
      reason: isRun ? undefined : info.slice(NO_RUN.length).replace(/^:\s*/, ''),
      text: content.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }
  })
}

/**
 * Rows of the tables below a heading, up to the next heading of the same or a higher level, without
 * header rows.
 */
export function tableRows(page: string, heading: string): string[][] {
  const lines = readPage(page).split('\n')
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading)
  if (start < 0) throw new Error(`${page} has no heading '${heading}'`)
  const level = lines[start].indexOf(' ')
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => /^#+ /.test(line) && line.indexOf(' ') <= level)
  const section = end < 0 ? rest : rest.slice(0, end)
  return section
    .filter((line, index) => line.startsWith('|') && !isHeader(section, index))
    .map((line) => cellsOf(line))
}

/** Names in backticks in a cell, as in `` `DB_HOST`, `DB_PORT` ``. */
export function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name)
}

/** Lines of a page, with those of fenced blocks empty. */
export function proseOf(page: string): string[] {
  const blank = (block: string) => block.replaceAll(/[^\n]/g, '')
  return readPage(page).replaceAll(FENCED, blank).split('\n')
}

/** Links of a page to other files and to headings. */
export function linksOf(page: string): Array<{ target: string; line: number }> {
  const prose = readPage(page).replaceAll(/^```.*?^```$/gms, (block) =>
    block.replaceAll(/[^\n]/g, '')
  )
  return prose
    .split('\n')
    .flatMap((text, index) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target]) => ({ target, line: index + 1 }))
        .filter(({ target }) => !/^(?:https?:|mailto:)/.test(target))
    )
}

/** Anchors of a page's headings. */
export function anchorsOf(page: string): string[] {
  return [...readPage(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(/\s/g, '-')
  )
}

function isHeader(lines: string[], index: number): boolean {
  return [lines[index], lines[index + 1] ?? ''].some((line) => /^\|[\s:|-]+\|$/.test(line))
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
}

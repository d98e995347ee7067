import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { ApplicationService } from '@adonisjs/core/types'
import { engineFile } from '#base/engine_file'
import { ValueError } from '#base/errors'

interface GeneratedFile {
  path: string
  contents: string
}

/**
 * Renders stubs of `stubs/make/crud` and formats them with the project's Prettier settings, if Prettier is installed.
 *
 * @param wanted  names of stubs with their data
 */
export async function renderStubs(
  app: ApplicationService,
  wanted: ReadonlyArray<readonly [stub: string, data: object]>
): Promise<GeneratedFile[]> {
  const prettier = await import('prettier').catch(() => undefined)
  const stubs = await app.stubs.create()
  return await Promise.all(
    wanted.map(async ([name, data]): Promise<GeneratedFile> => {
      const stub = await stubs.build(`make/crud/${name}.stub`, { source: engineFile('stubs') })
      const { destination, contents } = await stub.prepare({ app, ...data })
      if (!prettier) return { path: destination, contents: tidy(contents) }
      const settings = await prettier.resolveConfig(destination)
      return {
        path: destination,
        contents: await prettier.format(contents, { ...settings, filepath: destination }),
      }
    })
  )
}

/**
 * Writes all files or none.
 *
 * @returns paths of the files, relative to the project's root
 * @throws ValueError  when one of them already exists or can't be written
 */
export async function writeFiles(
  app: ApplicationService,
  files: readonly GeneratedFile[]
): Promise<string[]> {
  await checkFiles(app, files)
  const written: string[] = []
  try {
    for (const { path, contents } of files) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, contents, { flag: 'wx' })
      written.push(path)
    }
  } catch (error: any) {
    await Promise.all(written.map((path) => rm(path, { force: true })))
    throw new ValueError(
      `${app.relativePath(error.path ?? '')} can't be written (${error.code}); nothing has been`
    )
  }
  return files.map(({ path }) => app.relativePath(path))
}

async function checkFiles(app: ApplicationService, files: readonly GeneratedFile[]) {
  for (const { path } of files) {
    const there = await filesIn(dirname(path))
    /* Some file systems are case-insensitive. */
    const name = basename(path).toLowerCase()
    if (there.some((file) => file.toLowerCase() === name)) {
      throw new ValueError(`${app.relativePath(path)} is there already; nothing has been written`)
    }
  }
}

/** Returns the names in a folder; empty if the folder does not exist. */
export async function filesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error: any) {
    if (error.code === 'ENOENT') return []
    throw new ValueError(`${folder} can't be read (${error.code}); nothing has been written`)
  }
}

/* Settings of AdonisJS's Prettier configuration */
const INDENT = '  '
const WIDTH = 100

const TEXT = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|\/\*.*?\*\/|\/\/.*/
const TOKEN = new RegExp(`${TEXT.source}|[[\\](){},]`, 'g')
const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}' }

/**
 * Indents generated code and breaks long lines, like Prettier with AdonisJS's settings. Supports only the code of the
 * stubs in `stubs/make/crud`, and not all of TypeScript.
 */
export function tidy(code: string): string {
  const waiting = code
    .trim()
    .split('\n')
    .map((line) => spaced(line.trim()))
  const lines: string[] = []
  /* Indentation of the line of each open bracket */
  const open: number[] = []
  while (waiting.length > 0) {
    const line = waiting.shift()!
    const depth = depthOf(line, open, waiting)
    const parts = depth * INDENT.length + line.length > WIDTH ? broken(line) : [line]
    if (parts.length > 1) {
      waiting.unshift(...parts)
      continue
    }
    lines.push(line === '' ? '' : INDENT.repeat(depth) + line)
    for (const { text } of tokensOf(line)) {
      if (text in CLOSING) open.push(depth)
      else if (')]}'.includes(text)) open.pop()
    }
  }
  return `${lines.join('\n').replaceAll(/\n{3,}/g, '\n\n')}\n`
}

function depthOf(line: string, open: readonly number[], next: readonly string[]): number {
  const [closing] = /^[)\]}]*/.exec(line)!
  if (closing !== '') return open.at(-closing.length) ?? 0
  const outer = open.length > 0 ? open.at(-1)! + 1 : 0
  /* A chained call, a comment before one, or a type of a union */
  const isChained = (one = '') => /^[.|]/.test(one)
  return isChained(line) || (line.startsWith('/*') && isChained(next[0])) ? outer + 1 : outer
}

/** Returns the line with single quotes and a space after each comma */
function spaced(line: string): string {
  return line.replaceAll(TOKEN, (token, place: number) => {
    if (token === ',') return /\s|^$/.test(line.charAt(place + 1)) ? token : ', '
    return /^"[^'\\]*"$/.test(token) ? `'${token.slice(1, -1)}'` : token
  })
}

/** Returns brackets and commas outside strings and comments */
function tokensOf(line: string): Array<{ text: string; place: number }> {
  return [...line.matchAll(TOKEN)]
    .filter(([text]) => text.length === 1)
    .map(({ 0: text, index: place }) => ({ text, place }))
}

interface Group {
  start: number
  end: number
  /** Positions of the commas between the parts of the group */
  commas: number[]
}

/** Returns the outermost pairs of brackets in a line */
function groupsOf(line: string, from = 0, to = line.length): Group[] {
  const groups: Group[] = []
  let depth = 0
  for (const { text, place } of tokensOf(line)) {
    if (place < from || place >= to) continue
    if (text === ',') {
      if (depth === 1) groups.at(-1)!.commas.push(place)
    } else if (text in CLOSING) {
      if (depth++ === 0) groups.push({ start: place, end: -1, commas: [] })
    } else if (--depth === 0) groups.at(-1)!.end = place
    if (depth < 0) return []
  }
  return depth === 0 ? groups : []
}

/** Splits a line: at the types of a union, at chained calls, or at the commas of its longest brackets. */
function broken(line: string): string[] {
  const groups = groupsOf(line)
  if (groups.length === 0) return line.replace(/: (?=.* \| )/, ': | ').split(/ (?=\| )/)
  const calls = groups.flatMap(({ start }) => {
    const [name] = /(?:\.\w+)?$/.exec(line.slice(0, start))!
    return name === '' || line[start] !== '(' ? [] : start - name.length
  })
  if (calls.length > 1) {
    return [line.slice(0, calls[0]), ...calls.map((at, index) => line.slice(at, calls[index + 1]))]
  }
  let group = groups.toSorted((one, other) => other.end - other.start - (one.end - one.start))[0]
  for (;;) {
    const [inner, ...others] = groupsOf(line, group.start + 1, group.end)
    const isAll = others.length === 0 && inner?.start === group.start + 1
    if (!isAll || inner.end !== group.end - 1) break
    group = inner
  }
  const { commas, end, start } = group
  const parts = [start, ...commas].map((at, index) =>
    line.slice(at + 1, commas[index] ?? end).trim()
  )
  if (parts.join('') === '') return [line]
  const last = line[start] === '(' ? '' : ','
  return [
    line.slice(0, start + 1),
    ...parts.map((part, index) => part + (index < commas.length ? ',' : last)),
    line.slice(end),
  ]
}

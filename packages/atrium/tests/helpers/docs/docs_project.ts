import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ProjectCopy, TYPE_CHECK } from '#tests/helpers/project_copy'
import { differenceOf } from './expected_output.js'
import type { Block } from './markdown.js'

/* Files that these commands write take effect at the next start. */
const CHANGES_FILES = /^node ace make:/

/** A copy of the project in which the code blocks of the documentation are written and run. */
export class DocsProject {
  /** Number of commands that were run */
  commands = 0
  readonly #copy: ProjectCopy
  readonly #written = new Map<string, number>()
  #stop: (() => Promise<number | null>) | undefined

  private constructor(copy: ProjectCopy) {
    this.#copy = copy
  }

  static async create(): Promise<DocsProject> {
    return new DocsProject(await ProjectCopy.create())
  }

  get url(): string {
    return this.#copy.url
  }

  /**
   * Writes the file blocks, and the blocks without a path as files to be type-checked.
   *
   * @returns their paths
   */
  write(blocks: readonly Block[]): string[] {
    const paths: string[] = []
    for (const block of blocks) {
      if (block.reason !== undefined) continue
      const path = block.path ?? (block.language === 'ts' ? snippetPath(block) : undefined)
      if (path === undefined) continue
      const file = join(this.#copy.folder, path)
      mkdirSync(dirname(file), { recursive: true })
      const text = this.#withPort(block.text)
      if (block.isAppended) appendFileSync(file, text)
      else writeFileSync(file, text)
      paths.push(path)
    }
    return paths
  }

  /**
   * Writes and runs blocks as a reader would, and restarts the server after changes of files.
   *
   * @returns the differences between actual and shown output
   */
  async follow(blocks: readonly Block[]): Promise<string[]> {
    const errors: string[] = []
    for (const [index, block] of blocks.entries()) {
      if (block.reason !== undefined) continue
      if (block.path !== undefined) {
        if (isPartOfServer(block) && !this.#isWritten(block)) await this.stop()
        if (!this.#isWritten(block)) this.write([block])
        this.#written.set(block.path, block.text.length)
      } else if (block.language === 'sh') {
        const error = await this.#runBlock(block, blocks[index + 1])
        if (error) errors.push(`${block.page}:${block.line}: ${error}`)
      }
    }
    return errors
  }

  /** Marks files as written, so that `follow` does not write them again. */
  prepare(blocks: readonly Block[]): void {
    this.write(blocks)
    for (const { path, text } of blocks) if (path) this.#written.set(path, text.length)
  }

  async start(): Promise<void> {
    this.#stop ??= await this.#copy.start()
  }

  /**
   * @throws Error  if the server's exit status is not 0
   */
  async stop(): Promise<void> {
    const status = await this.#stop?.()
    this.#stop = undefined
    if (status) throw new Error(`The server ended with ${status}:\n${this.#copy.output}`)
  }

  /**
   * Type-checks files.
   *
   * @returns the compiler errors
   */
  async errorsOf(paths: readonly string[]): Promise<string> {
    const config = {
      extends: './tsconfig.json',
      compilerOptions: { noEmit: true, incremental: false, allowImportingTsExtensions: true },
      files: [
        ...new Set([
          ...paths,
          'adonisrc.ts',
          'bin/server.ts',
          'config/auth.ts',
          'tests/bootstrap.ts',
        ]),
      ],
      include: [],
    }
    writeFileSync(join(this.#copy.folder, 'tsconfig.docs.json'), JSON.stringify(config))
    const { output } = await this.#copy.run(process.execPath, [...TYPE_CHECK, 'tsconfig.docs.json'])
    return output.trim()
  }

  /**
   * Runs the tests of one file, such as `make:crud` writes.
   *
   * @returns the exit status and the output
   */
  async test(file: string) {
    return await this.#copy.run(process.execPath, ['ace.js', 'test', `--files=${file}`])
  }

  /** A page of the admin site for the signed-in user. */
  async adminPage(path: string, username: string, password: string): Promise<string> {
    const signedIn = await fetch(`${this.url}/admin/login`, {
      method: 'POST',
      body: new URLSearchParams({ username, password }),
      redirect: 'manual',
    })
    const cookies = signedIn.headers.getSetCookie().map((line) => line.split(';')[0])
    const page = await fetch(this.url + path, { headers: { cookie: cookies.join('; ') } })
    return await page.text()
  }

  async remove(): Promise<void> {
    await this.#stop?.()
    await this.#copy.remove()
  }

  #isWritten({ path, text }: Block): boolean {
    return this.#written.get(path!) === text.length
  }

  async #runBlock(block: Block, next: Block | undefined): Promise<string | null> {
    let output = ''
    for (const command of block.text.trim().split('\n')) {
      const { status, output: said } = await this.#runCommand(command)
      if (status !== 0) return `${command}: ${said}`
      output = said
    }
    const isOutput = next && ['json', 'text'].includes(next.language)
    return isOutput ? differenceOf(next.language, next.text, output) : null
  }

  async #runCommand(command: string) {
    this.commands += 1
    if (CHANGES_FILES.test(command)) await this.stop()
    else await this.start()
    const line = this.#withPort(command)
      .replaceAll(/\bcurl /g, 'curl -s ')
      .replaceAll(/\bnode (?=ace|client)/g, `${process.execPath} `)
    return await this.#copy.run('sh', ['-c', line])
  }

  #withPort(text: string): string {
    return text.replaceAll('localhost:3333', `localhost:${this.#copy.port}`)
  }
}

function isPartOfServer({ language, path }: Block): boolean {
  return ['ts', 'edge'].includes(language) && !/^tests\/|^client/.test(path!)
}

function snippetPath({ page, line }: Block): string {
  return `docs_snippets/${page.replaceAll(/\W/g, '_')}_${line}.ts`
}

/** True if the commands of the docs can run here. */
export function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

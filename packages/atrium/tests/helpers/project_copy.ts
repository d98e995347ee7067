/* A copy of the project in its own directory, to start, change and break. */
import { spawn, type ChildProcess } from 'node:child_process'
import { constants, cpSync, mkdirSync, readdirSync } from 'node:fs'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { freePort } from '#tests/helpers/free_port'

const LEFT_OUT = ['node_modules', 'tmp', 'build', 'storage', '.git', '.env']

/** Checks the types of the files that the tsconfig.json after it names, but not those of the engine. */
export const TYPE_CHECK = [
  '--import=./scripts/loader.js',
  'packages/atrium/tests/helpers/type_check.ts',
]

/** Not hard links, through which npm would change the project's own packages */
const COPY_OF_PACKAGES = {
  recursive: true,
  verbatimSymlinks: true,
  mode: constants.COPYFILE_FICLONE,
}

export class ProjectCopy {
  /** Output of the server so far */
  output = ''
  readonly #children: ChildProcess[] = []

  private constructor(
    readonly folder: string,
    readonly port: number
  ) {}

  /**
   * @param withPackages  true: packages can be installed in the copy, which is on disk, as they may not fit in memory.
   *   False: it shares those of the project.
   */
  static async create({ withPackages = false } = {}): Promise<ProjectCopy> {
    const folder = withPackages ? folderOnDisk() : await claimFolder()
    const root = app.makePath()
    /* Synchronously, as it would take five times the processor time otherwise. */
    const filter = (path: string) => !LEFT_OUT.includes(basename(path))
    for (const name of readdirSync(root)) {
      cpSync(join(root, name), join(folder, name), { recursive: true, filter })
    }
    const packages = [app.makePath('node_modules'), join(folder, 'node_modules')] as const
    if (withPackages) cpSync(...packages, COPY_OF_PACKAGES)
    else await linkPackages(...packages)
    return new ProjectCopy(folder, await freePort())
  }

  /**
   * A clone of the repository at an earlier commit, with the present packages.
   *
   * @throws Error  where the repository or the commit is missing
   */
  static async clone(commit: string): Promise<ProjectCopy> {
    const copy = new ProjectCopy(await claimFolder(), await freePort())
    const git = `git -c safe.directory='*' clone -q --no-checkout '${app.makePath()}' . && git checkout -q -B mine ${commit}`
    const { status, output } = await copy.run('sh', ['-c', git])
    if (status !== 0) throw new Error(output)
    await linkPackages(app.makePath('node_modules'), join(copy.folder, 'node_modules'))
    return copy
  }

  /**
   * A copy of an application in `tests/hosts`, in which no package is installed. It has none of those of the project.
   *
   * @param name  of the application: `web` or `api`
   */
  static async ofHost(name: string): Promise<ProjectCopy> {
    const folder = await claimFolder()
    for (const part of ['both', name]) {
      cpSync(app.makePath('packages/atrium/tests/hosts', part), folder, { recursive: true })
    }
    cpSync(join(folder, '.env.example'), join(folder, '.env'))
    mkdirSync(join(folder, 'tmp'))
    return new ProjectCopy(folder, await freePort())
  }

  get url(): string {
    return `http://localhost:${this.port}`
  }

  /**
   * Runs a program to its end.
   *
   * @returns its exit status and output
   */
  async run(command: string, args: string[], environment: Record<string, string> = {}) {
    const child = this.#spawn(command, args, environment)
    let output = ''
    child.stdout!.on('data', (chunk) => (output += chunk))
    child.stderr!.on('data', (chunk) => (output += chunk))
    const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { status, output }
  }

  /**
   * Begins a command that runs until it is ended.
   *
   * @returns a function that sends it a signal and returns its exit status and output
   */
  launch(args: string[], environment: Record<string, string> = {}) {
    const child = this.#spawn(process.execPath, args, environment)
    let output = ''
    child.stdout!.on('data', (chunk) => (output += chunk))
    child.stderr!.on('data', (chunk) => (output += chunk))
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    return async (signal: NodeJS.Signals) => {
      child.kill(signal)
      return { status: await ended, output }
    }
  }

  /**
   * Starts the server, as `npm start` does or by another script, and waits until it responds.
   *
   * @returns a function that ends it by SIGTERM and returns its exit status
   * @throws Error  with its output, if it exits first
   */
  async start(
    environment: Record<string, string> = {},
    script: string | readonly string[] = 'scripts/start.js'
  ): Promise<() => Promise<number | null>> {
    const child = this.#spawn(process.execPath, [script].flat(), environment)
    this.output = ''
    child.stdout!.on('data', (chunk) => (this.output += chunk))
    child.stderr!.on('data', (chunk) => (this.output += chunk))
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    let isRunning = true
    void ended.then(() => (isRunning = false))

    while (isRunning && !(await this.#responses())) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    if (!isRunning) throw new Error(`The server ended with ${await ended}:\n${this.output}`)
    return async () => {
      child.kill('SIGTERM')
      return await ended
    }
  }

  /** Ends running processes and removes the directory. */
  async remove(): Promise<void> {
    this.#children.forEach((child) => child.kill('SIGKILL'))
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 })
  }

  #spawn(
    command: string,
    args: readonly string[],
    environment: Record<string, string>
  ): ChildProcess {
    const stored = ['PATH', 'HOME', 'NODE_OPTIONS', 'NODE_COMPILE_CACHE']
    const child = spawn(command, args, {
      cwd: this.folder,
      env: {
        ...Object.fromEntries(stored.map((name) => [name, process.env[name] ?? ''])),
        ...{ HOST: 'localhost', PORT: String(this.port) },
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#children.push(child)
    return child
  }

  async #responses(): Promise<boolean> {
    try {
      await fetch(this.url)
      return true
    } catch {
      return false
    }
  }
}

/** Links to all packages, so that the engine is that of the copy. */
async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to)
  for (const name of readdirSync(from)) {
    const target = name === 'adonis-atrium' ? '../packages/atrium' : join(from, name)
    await symlink(target, join(to, name))
  }
}

/**
 * The first folder that no other copy has. The names come again, as V8 keeps the compiled code of a file under
 * its path: with a new name for each copy, every first process would compile and write down all files.
 */
async function claimFolder(): Promise<string> {
  for (let number = 1; ; number++) {
    const folder = join(tmpdir(), `atrium-copy-${number}`)
    try {
      await mkdir(folder)
      return folder
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** Named so that `npm test` removes it, should this process be killed. */
function folderOnDisk(): string {
  const folder = app.makePath('tmp', `test-${process.pid}-copy`)
  mkdirSync(folder, { recursive: true })
  return folder
}

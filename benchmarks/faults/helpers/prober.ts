/*
 * A process of its own that asks a server for a sign of life again and again, and by turns a server inside
 * of itself: how late that one answers is the machine's doing.
 */
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export interface Probes {
  /** Milliseconds of each answer */
  waits: number[]
  /** The same of a server that has nothing else to do */
  control: number[]
  /** Answers that were no 200 */
  failures: number
}

/**
 * @returns what ends the probing and tells of it
 */
export function probe(url: string): () => Promise<Probes> {
  const child = spawn(
    process.execPath,
    ['--import=@poppinss/ts-exec', fileURLToPath(import.meta.url), url],
    { stdio: ['pipe', 'pipe', 'inherit'] }
  )
  let text = ''
  child.stdout.on('data', (chunk) => (text += chunk))
  return () =>
    new Promise((resolve) => {
      child.once('close', () => resolve(JSON.parse(text)))
      child.stdin.end()
    })
}

async function main(url: string) {
  const server = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const probes: Probes = { waits: [], control: [], failures: 0 }
  let isOver = false
  process.stdin.resume().once('end', () => (isOver = true))
  const ask = async (address: string) => {
    const begun = performance.now()
    const status = await fetch(address).then(
      async (response) => {
        await response.text()
        return response.status
      },
      () => 0
    )
    if (status !== 200) probes.failures++
    return performance.now() - begun
  }
  /* The first connections and the first code take their time. */
  for (const address of [own, url]) for (let i = 0; i < 5; i++) await ask(address)
  while (!isOver) {
    probes.waits.push(await ask(url))
    probes.control.push(await ask(own))
    await sleep(10)
  }
  process.stdout.write(JSON.stringify(probes), () => process.exit())
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2])

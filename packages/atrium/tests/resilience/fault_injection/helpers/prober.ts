/*
 * Runs in its own process and polls a server, alternating with a server inside itself: delays of
 * the latter are the machine's.
 */
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export interface Probes {
  /** Response times in milliseconds */
  waits: number[]
  /** Response times of an idle server */
  control: number[]
  /** Number of responses other than 200 */
  failures: number
}

/**
 * @returns a function that stops the probing and returns its results
 */
export function probe(url: string): () => Promise<Probes> {
  const child = spawn(
    process.execPath,
    ['--import=./scripts/loader.js', fileURLToPath(import.meta.url), url],
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
  /* The first connections and uncompiled code are slower. */
  for (const address of [own, url]) for (let i = 0; i < 5; i++) await ask(address)
  while (!isOver) {
    probes.waits.push(await ask(url))
    probes.control.push(await ask(own))
    await sleep(10)
  }
  process.stdout.write(JSON.stringify(probes), () => process.exit())
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2])

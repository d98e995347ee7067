/*
 * nginx with TLS in front of a server, as in docs/deployment.md: one address removes a prefix from the path, the other
 * passes the path as it is.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '#tests/helpers/free_port'

const PROGRAM = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'].find((path) =>
  existsSync(path)
)

/** False where the test cannot run; CI installs nginx */
export const HAS_NGINX = PROGRAM !== undefined

export interface Nginx {
  /** Port of the server that removes the prefix, and sends it as X-Forwarded-Prefix */
  stripping: number
  /** Port of the server that passes the path */
  passing: number
  stop(): Promise<void>
}

/**
 * @param folder    an empty place for its files
 * @param upstream  port of the server behind it
 * @param prefix    such as `/atrium`
 * @param host      name in the certificate
 */
export async function startNginx(
  folder: string,
  { upstream, prefix, host }: { upstream: number; prefix: string; host: string }
): Promise<Nginx> {
  await mkdir(folder, { recursive: true })
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', `/CN=${host}`, '-days', '2', '-keyout', key, '-out', certificate]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  execFileSync('openssl', [...request, '-nodes', ...subject], { stdio: 'ignore' })
  const [stripping, passing] = [await freePort(), await freePort()]
  const forwarded = `
      proxy_http_version 1.1;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-Host $host;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-For $remote_addr;`
  const server = (port: number, location: string) => `
  server {
    listen 127.0.0.1:${port} ssl;
    server_name ${host};
    ssl_certificate ${certificate};
    ssl_certificate_key ${key};
    client_max_body_size 21m;
    location ${prefix}/ {${forwarded}
      ${location}
    }
  }`
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `  ${name}_temp_path ${join(folder, name)};`)
    .join('\n')
  const config = `
daemon off;
worker_processes 1;
pid ${join(folder, 'nginx.pid')};
error_log ${join(folder, 'error.log')};
events { worker_connections 128; }
http {
  access_log off;
${temporary}
${server(stripping, `proxy_set_header X-Forwarded-Prefix ${prefix};\n      proxy_pass http://127.0.0.1:${upstream}/;`)}
${server(passing, `proxy_pass http://127.0.0.1:${upstream};`)}
}`
  const file = join(folder, 'nginx.conf')
  await writeFile(file, config)
  const child = spawn(PROGRAM!, ['-c', file, '-p', folder, '-e', join(folder, 'error.log')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk) => (output += chunk))
  const ended = once(child, 'close')
  while (!(await isListening(passing))) {
    if (child.exitCode !== null) throw new Error(`nginx has ended:\n${output}`)
    await setTimeout(30)
  }
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  return { stripping, passing, stop }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

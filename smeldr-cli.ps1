# Runs the smeldr-cli of this checkout's environment, from any folder and through any link, or else the one on PATH.
# For Windows PowerShell 5.1 and later, on every system. It makes no environment and reads no setting.

$self = Get-Item -LiteralPath $PSCommandPath
while ($self.LinkType -eq 'SymbolicLink') {
    $target = @($self.Target)[0]
    if (-not [System.IO.Path]::IsPathRooted($target)) {
        $target = Join-Path $self.DirectoryName $target
    }
    $self = Get-Item -LiteralPath $target
}
$here = $self.DirectoryName

$client = @(
    (Join-Path $here '.venv/Scripts/smeldr-cli.exe'),
    (Join-Path $here '.venv/bin/smeldr-cli')
) | Where-Object { Test-Path -LiteralPath $_ -PathType Leaf } | Select-Object -First 1

if (-not $client) {
    # On PATH, but never the script that lies beside this one.
    $client = Get-Command -Name 'smeldr-cli' -CommandType Application -All -ErrorAction SilentlyContinue |
        ForEach-Object { $_.Path } |
        Where-Object { (Split-Path -Parent $_) -ne $here } |
        Select-Object -First 1
}

if (-not $client) {
    $advice = "there is no environment in $(Join-Path $here '.venv'), and no smeldr-cli on PATH: see docs/getting-started.md"
    [Console]::Error.WriteLine("smeldr-cli: not_installed: $advice")
    exit 1
}

# Words as they were meant: PowerShell makes a list of D6,D7, and before 7.3 it loses quotes and empty words.
$loses = ($PSVersionTable.PSVersion.Major * 100 + $PSVersionTable.PSVersion.Minor) -lt 703
$words = @(
    foreach ($word in $args) {
        $text = @($word) -join ','
        if ($loses) {
            $text = $text -replace '(\\*)"', '$1$1\"'
            if ($text -eq '') { $text = '""' }
        }
        $text
    }
)

if ($MyInvocation.ExpectingInput) {
    $OutputEncoding = New-Object System.Text.UTF8Encoding $false # or Windows PowerShell pipes ASCII
    $input | & $client @words
} else {
    & $client @words
}
exit $LASTEXITCODE
